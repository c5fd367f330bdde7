"""Letters that remember the word they are in, and the one before it: contexts longer than n-grams.

A state is the last N − 1 labels, or a node: the beginning of a known word, or that after a known word before
it. A node has followers of its own, and leaves the rest of its probability to the state that remembers less:
the smoothing of Witten and Bell, with contexts that grow as long as the word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ventris.kernels.pair_chains import Contexts
from ventris.label_model.model import NgramModel

SPACE = " "
ESCAPE_WORDS, ESCAPE_PAIRS = 5.0, 10.0  # how many times each kind of follower is counted towards the others'


class WordCounts(NamedTuple):
    """Words, how often each was seen, and which followed which.

    Attributes
    ----------
    words : list of str
        Sorted, in letters of the label model.
    counts : int array of shape (W,)
    total : int
        Of all words that were read, these and rarer ones.
    first, second, pair_counts : int arrays of shape (P,)
        Numbers of the words of a pair, sorted, and how often it was seen.
    """

    words: list[str]
    counts: NDArray[np.int64]
    total: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    pair_counts: NDArray[np.int64]


class _Trie(NamedTuple):
    """Beginnings of words, a node each; `nodes` (R, L + 1) has the node of each beginning of each row."""

    nodes: NDArray[np.int64]
    parent: NDArray[np.int64]  # (M,) −1 for a root
    label: NDArray[np.int64]  # (M,) newest letter; −1 for a root
    depth: NDArray[np.int64]  # (M,) letters
    row: NDArray[np.int64]  # (M,) a row that has it
    counts: NDArray[np.float64]  # (M,)


def plain_contexts(lm: NgramModel) -> Contexts:
    """Contexts of an n-gram model alone.

    Examples
    --------
    >>> lm = NgramModel.from_text("abab ba", 2)
    >>> plain_contexts(lm).table.shape
    (3, 3)
    """
    n_classes = lm.n_classes
    if lm.order == 1:
        table = np.tile(lm.conditional(1), (n_classes, 1))
    else:
        table = lm.conditional(lm.order).reshape(-1, n_classes)
    none = np.empty(0, np.int32)
    return Contexts(
        np.ascontiguousarray(table, dtype=np.float32),
        np.full(len(table), -1, np.int32),
        none,
        np.empty(0, np.float32),
        np.empty(0, np.int16),
        np.zeros(1, np.int32),
        np.empty(0, np.int16),
        np.empty(0, np.float32),
        none,
    )


def word_contexts(
    lm: NgramModel,
    words: WordCounts,
    *,
    escape_words: float = ESCAPE_WORDS,
    escape_pairs: float = ESCAPE_PAIRS,
) -> Contexts:
    """Contexts of an n-gram model of letters, with words and pairs of words upon them (Witten–Bell, PPM).

    Parameters
    ----------
    lm : NgramModel
        Of single letters and the space, order 2 or more.
    words : WordCounts
    escape_words, escape_pairs : float
        Weight of what was not seen at a node, in kinds of followers.

    References
    ----------
    I. H. Witten, T. C. Bell, The zero-frequency problem (1991). J. G. Cleary, I. H. Witten, Data compression
    using adaptive coding and partial string matching (1984).
    """
    plain = plain_contexts(lm)
    if lm.order == 1 or not words.words or SPACE not in lm.classes:
        return plain
    build = _Build(lm, plain, words)
    return build.contexts(escape_words, escape_pairs)


class _Build:
    """The arrays of `Contexts`, put together."""

    def __init__(self, lm: NgramModel, plain: Contexts, words: WordCounts) -> None:
        self.plain, self.words = plain, words
        self.n_classes, self.memory = lm.n_classes, lm.order - 1
        self.space = lm.classes.index(SPACE)
        self.commonest = int(np.argmax(np.where(np.arange(lm.n_classes) == self.space, 0, lm.stationary())))
        number = {str(label): i for i, label in enumerate(lm.classes)}
        self.lengths = np.array([len(word) for word in words.words])
        self.letters = np.full((len(words.words), int(self.lengths.max())), -1, np.int16)
        places = np.arange(self.letters.shape[1]) < self.lengths[:, None]
        self.letters[places] = [number[letter] for word in words.words for letter in word]
        self.single = _trie(np.zeros(len(words.words), np.int64), self.letters, self.lengths, words.counts)
        self.double = _trie(
            words.first, self.letters[words.second], self.lengths[words.second], words.pair_counts
        )

    def contexts(self, escape_words: float, escape_pairs: float) -> Contexts:
        n_contexts, n_single = len(self.plain.table), len(self.single.parent)
        single = self.single.counts.copy()
        single[self.single.depth == 0] = self.words.total
        double = self.double.counts.copy()
        roots = np.flatnonzero(self.double.depth == 0)
        words = self.words.first[self.double.row[roots]]
        double[roots] = np.maximum(self.words.counts[words], double[roots])
        root_of = np.full(len(self.words.words), -1, np.int64)
        root_of[words] = n_contexts + n_single + roots
        ends = (self.single.nodes[np.arange(len(self.lengths)), self.lengths], root_of, self.words.counts)
        deep = np.where(self.single.depth >= self.memory, n_contexts + np.arange(n_single), -1)
        # A short beginning and the space before it are an n-gram, whose counts the model has: nothing to add.
        single[self.single.depth < self.memory] = np.inf
        followers = [_followers(self.single, single, deep, ends, self.space, escape_words)]
        if len(self.double.parent):
            length = self.lengths[self.words.second]
            ends = (
                self.double.nodes[np.arange(len(length)), length],
                np.full(len(length), -1, np.int64),
                self.words.pair_counts,
            )
            own = n_contexts + n_single + np.arange(len(self.double.parent))
            followers.append(_followers(self.double, double, own, ends, self.space, escape_pairs))
        return self._joined(followers)

    def _joined(self, followers: list[tuple[NDArray, ...]]) -> Contexts:
        first, label, weight, target, share = (list(parts) for parts in zip(*followers, strict=True))
        starts = np.concatenate([first[0], *(each[1:] + first[0][-1] for each in first[1:])])
        lower = np.concatenate([self._lower_of_words(), self._lower_of_pairs()])
        last = np.concatenate([self.single.label, self.double.label])
        last[last < 0] = self.space
        return Contexts(
            self.plain.table,
            self._overlay(),
            lower.astype(np.int32),
            np.concatenate(share).astype(np.float32),
            last.astype(np.int16),
            starts.astype(np.int32),
            np.concatenate(label).astype(np.int16),
            np.concatenate(weight).astype(np.float32),
            np.concatenate(target).astype(np.int32),
        )

    def _code(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Label strings of length N − 1, shape (…, N − 1), as numbers of contexts."""
        code = np.zeros(labels.shape[:-1], np.int64)
        for place in range(labels.shape[-1]):
            code = code * self.n_classes + labels[..., place]
        return code

    def _overlay(self) -> NDArray[np.int32]:
        """The node of each context that ends in a space and the short beginning of a word."""
        overlay = np.full(len(self.plain.table), -1, np.int32)
        for node in np.flatnonzero(self.single.depth < self.memory):
            depth, row = self.single.depth[node], self.single.row[node]
            ending = self._code(np.concatenate([[self.space], self.letters[row, :depth]]).astype(np.int64))
            overlay[int(ending) :: self.n_classes ** (depth + 1)] = node
        return overlay

    def _lower_of_words(self) -> NDArray[np.int64]:
        return _endings(self, self.single, self.letters[self.single.row].astype(np.int64), None)

    def _lower_of_pairs(self) -> NDArray[np.int64]:
        double = self.double
        if not len(double.parent):
            return np.empty(0, np.int64)
        second = self.words.second[double.row]
        before = self.words.first[double.row]
        lower = _endings(self, double, self.letters[second].astype(np.int64), before)
        deep = double.depth >= self.memory
        lower[deep] = len(self.plain.table) + self.single.nodes[second[deep], double.depth[deep]]
        return lower


def _endings(
    build: _Build, trie: _Trie, letters: NDArray[np.int64], before: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """The context that each node ends in: its letters, a space, and the word before it."""
    out = np.empty((len(trie.parent), build.memory), np.int64)
    rows = np.arange(len(out))
    for back in range(1, build.memory + 1):
        place = trie.depth - back
        own = np.where(place >= 0, letters[rows, np.maximum(place, 0)], build.space)
        if before is not None:
            behind = build.lengths[before] + place + 1
            ending = build.letters[before, np.clip(behind, 0, build.letters.shape[1] - 1)]
            ending = np.where(behind >= 0, ending, np.where(behind == -1, build.space, build.commonest))
            own = np.where(place < -1, ending, own)
        else:
            own = np.where(place < -1, build.commonest, own)
        out[:, -back] = own
    return build._code(out)


def _trie(
    group: NDArray[np.int64], letters: NDArray[np.int16], lengths: NDArray[np.int64], counts: NDArray
) -> _Trie:
    """Beginnings of the rows of each group; rows are sorted by group, then by letters."""
    n_rows, longest = len(group), int(lengths.max(initial=0))
    nodes = np.full((n_rows, longest + 1), -1, np.int64)
    same = np.zeros(n_rows, bool)
    same[1:] = group[1:] == group[:-1]
    parts: list[tuple[NDArray, ...]] = []
    n_nodes = 0
    for depth in range(longest + 1):
        if depth:
            same[1:] &= letters[1:, depth - 1] == letters[:-1, depth - 1]
        there = lengths >= depth
        begins = np.flatnonzero(there & ~(same & np.r_[False, there[:-1]]))
        number = np.zeros(n_rows, np.int64)
        number[begins] = 1
        nodes[there, depth] = n_nodes + np.cumsum(number)[there] - 1
        label = letters[begins, depth - 1].astype(np.int64) if depth else np.full(len(begins), -1)
        parent = nodes[begins, depth - 1] if depth else np.full(len(begins), -1)
        parts.append((parent, label, np.full(len(begins), depth), begins))
        n_nodes += len(begins)
    parent, label, depths, row = (np.concatenate(each) for each in zip(*parts, strict=True))
    held = nodes >= 0
    weights = np.broadcast_to(np.asarray(counts, float)[:, None], nodes.shape)[held]
    totals = np.bincount(nodes[held], weights, minlength=n_nodes).astype(np.float64)
    return _Trie(nodes, parent, label, depths, row, totals)


def _followers(
    trie: _Trie,
    totals: NDArray[np.float64],
    states: NDArray[np.int64],
    ends: tuple[NDArray, NDArray, NDArray],
    space: int,
    escape: float,
) -> tuple[NDArray, ...]:
    """Followers of each node: where they begin, label, weight, state they lead to; the share of the rest."""
    children = np.flatnonzero(trie.parent >= 0)
    end_nodes, end_states, end_counts = ends
    parent = np.concatenate([trie.parent[children], end_nodes])
    label = np.concatenate([trie.label[children], np.full(len(end_nodes), space)])
    target = np.concatenate([states[children], end_states])
    count = np.concatenate([trie.counts[children], end_counts])
    order = np.argsort(parent, kind="stable")
    parent, label, target, count = parent[order], label[order], target[order], count[order]
    kinds = np.bincount(parent, minlength=len(trie.parent))
    weight = count / (totals + escape * kinds)[parent]
    share = 1.0 - np.bincount(parent, weight, minlength=len(trie.parent))
    return np.concatenate([[0], np.cumsum(kinds)]), label, weight, target, np.maximum(share, 1e-9)
