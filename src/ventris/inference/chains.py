"""Label chains, dense or pruned, and the walks along them (forward–backward, Viterbi) in bounded memory.

A sequence of ordinary length is one walk forward and one back on one thread, sequences side by side. A long
one is walked from both ends to its middle, then on from there: each walker finds on its second part the
messages that the other left, so both do the same work and can run on two threads. Messages are kept for one
block of steps at a time, and a checkpoint per block from which it is filled again.

References
----------
C. Tarnas and R. Hughey, "Reduced space hidden Markov model training", Bioinformatics 14(5), 1998.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.kernels import chains as dense_kernels
from ventris.kernels import lattice, two_labels
from ventris.kernels.chains import BEST_PATH, LOGLIK, POSTERIORS
from ventris.label_model.statistics import conditional_of

MAX_CANDIDATES = 32  # unmeasured: labels followed at a step of a pruned lattice, likeliest first
MESSAGE_BUDGET = 2**22  # numbers kept of the messages of one walk, 32 MB; other sizes are unmeasured
PARALLEL_WORK = 2**22  # unmeasured: multiplications below which threads cost more than they bring


Steps = tuple[int, int]  # [begin, end)


class NoPath(Exception):
    """No label path of positive probability is left at this position of the data."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def _refuse_broken(position: int) -> None:
    if position >= 0:
        raise NoPath(position)


# ---------------------------------------------------------------------------------------------- chains


@dataclass(frozen=True)
class Chain:
    """Scores and label model in the form of the kernels that walk along them.

    The three kernel modules, dense, of two labels, and lattice, have the same functions; only their `tables`
    differ.
    """

    kernels: ModuleType
    tables: Any
    max_states: int

    def offset(self, t: NDArray | int) -> Any:
        """Number of states before step t."""
        return self.tables.offsets[t] if self.is_pruned else t * self.max_states

    @property
    def is_pruned(self) -> bool:
        """Whether only some labels are followed, other ones at each step."""
        return self.kernels is lattice


def _flat(table: NDArray) -> NDArray:
    return _fixed(np.ascontiguousarray(table, dtype=np.float64).reshape(-1))


def _fixed(array: NDArray) -> NDArray:
    """The same numbers, not to be written to: a kernel is compiled anew for each kind of array."""
    view = array.view()
    view.flags.writeable = False
    return view


def _in_whole_lanes(table: NDArray) -> NDArray:
    """The table with zeros added to both label axes, up to a multiple of four: shape (m, C', C')."""
    n_contexts, n_classes, _ = table.shape
    n_padded = n_classes + -n_classes % 4
    padded = np.zeros((n_contexts, n_padded, n_padded))
    padded[:, :n_classes, :n_classes] = table
    return padded


def dense(scores: NDArray, joint: NDArray, conditional: NDArray | None) -> Chain:
    """Chain that follows every label: scores (T, C), joint (C,) * (N − 1), conditional (C,) * N.

    No conditional is needed for sequences of N − 1 labels, which end with their first state.
    """
    n_classes, memory = joint.shape[0], joint.ndim
    if joint.shape == (2,):
        transition = np.zeros((2, 2)) if conditional is None else conditional
        pair = two_labels.Tables(_fixed(scores), _flat(joint), _flat(transition).reshape(2, 2))
        return Chain(two_labels, pair, 2)
    table = np.empty((n_classes, 0, n_classes))
    if conditional is not None:
        table = _flat(conditional).reshape(n_classes, -1, n_classes)  # [h, m, j]
    tables = dense_kernels.Tables(
        scores=_fixed(scores),
        opening=_flat(joint),
        conditional=_fixed(table),
        ahead=_in_whole_lanes(table.transpose(1, 0, 2)),
        behind=_in_whole_lanes(table.transpose(1, 2, 0)),
        memory=memory,
    )
    return Chain(dense_kernels, tables, n_classes**memory)


def pruned(
    scores: NDArray,
    spans: NDArray,
    joint: NDArray,
    conditional: NDArray,
    candidates: NDArray,
    counts: NDArray,
) -> Chain:
    """Chain that follows at step t only the first counts[t] of candidates[t]."""
    offsets = np.zeros(len(scores) + 1, dtype=np.int64)
    lattice.state_offsets(counts, spans, joint.ndim, offsets)
    tables = lattice.Tables(
        _fixed(scores), _flat(joint), _flat(conditional), candidates, counts, offsets, memory=joint.ndim
    )
    return Chain(lattice, tables, int(np.diff(offsets).max()))


def coarse_to_fine(
    scores: NDArray,
    spans: NDArray,
    joints: Sequence[NDArray],
    conditional: NDArray,
    *,
    threshold: float,
    beam: int,
    n_jobs: int,
) -> Chain:
    """Pruned chain of order N: each order's posteriors choose the labels of the next (coarse to fine)."""
    order = conditional.ndim
    if threshold <= 0:
        return pruned(scores, spans, joints[order - 2], conditional, *_every_label(scores))
    chain = dense(scores, joints[0], conditional_of(joints[1], joints[0]))
    full = spans[spans[:, 1] - spans[:, 0] >= order - 1]
    for k in range(3, order + 1):
        guide, _ = posteriors(chain, full, n_jobs)
        candidates, counts = _followed(guide, full, k, threshold, beam)
        table = conditional if k == order else conditional_of(joints[k - 1], joints[k - 2])
        chain = pruned(scores, spans, joints[k - 2], table, candidates, counts)
    return chain


def _every_label(scores: NDArray) -> tuple[NDArray, NDArray]:
    n_points, n_classes = scores.shape
    candidates = np.tile(np.arange(n_classes, dtype=np.int16), (n_points, 1))
    return candidates, np.full(n_points, n_classes, dtype=np.int64)


def _followed(
    guide: NDArray, spans: NDArray, order: int, threshold: float, beam: int
) -> tuple[NDArray, NDArray]:
    """Labels worth following at each step, (T, K) likeliest first, and how many of them, (T,)."""
    n_points, n_classes = guide.shape
    candidates = np.zeros((n_points, min(n_classes, MAX_CANDIDATES)), dtype=np.int16)
    counts = np.empty(n_points, dtype=np.int64)
    lattice.likeliest(guide, threshold, candidates, counts)
    lattice.thin(guide, candidates, counts, spans, order, beam)
    return candidates, counts


# ------------------------------------------------------------------------------------- walks in parallel


def posteriors(chain: Chain, spans: NDArray, n_jobs: int) -> tuple[NDArray, NDArray]:
    """Posteriors (T, C), zero outside `spans`, and the log-likelihood of each sequence (S,)."""
    out = np.zeros_like(chain.tables.scores)
    return out, walk(chain, spans, POSTERIORS, n_jobs, out=out)


def walk(
    chain: Chain,
    spans: NDArray,
    task: int,
    n_jobs: int,
    *,
    out: NDArray | None = None,
    labels: NDArray | None = None,
) -> NDArray:
    """Do `task` for the sequences `spans`, (S, 2): log of their total or best weight; fills out or labels."""
    out = np.empty((0, 0), dtype=chain.tables.scores.dtype) if out is None else out
    labels = np.empty(0, dtype=np.int64) if labels is None else labels
    logs, n_threads = np.empty(len(spans)), _n_threads(chain, n_jobs)
    sizes = chain.offset(spans[:, 1]) - chain.offset(spans[:, 0])
    # Long: more than its thread's fair share of the work, or more than may be kept at once.
    long = ((sizes * n_threads > sizes.sum()) & (n_threads > 1)) | (sizes > MESSAGE_BUDGET)
    for i in np.flatnonzero(long):
        logs[i] = _walk_both_ways(chain, spans[i], task, out, labels, n_threads)
    groups = _groups(np.flatnonzero(~long), sizes, 4 * n_threads if n_threads > 1 else 1)
    jobs = [partial(_walk_group, chain, spans[group], task, out, labels) for group in groups]
    for group, found in zip(groups, _together(jobs, n_threads), strict=True):
        logs[group] = found
    return logs


def _together(jobs: Sequence[Callable[[], Any]], n_threads: int) -> list[Any]:
    """Results of the jobs, run on threads (the kernels release the interpreter's lock) when that can help."""
    if min(n_threads, len(jobs)) < 2:
        return [job() for job in jobs]
    with ThreadPoolExecutor(n_threads) as pool:
        return [future.result() for future in [pool.submit(job) for job in jobs]]


def _n_threads(chain: Chain, n_jobs: int) -> int:
    n_points, n_classes = chain.tables.scores.shape
    work = chain.offset(n_points) * (4 if chain.is_pruned else n_classes)
    if work < PARALLEL_WORK:
        return 1
    if n_jobs > 0:
        return n_jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _groups(which: NDArray, sizes: NDArray, n_groups: int) -> list[NDArray]:
    """Cut the sequences `which` into runs of about the same work."""
    if not len(which):
        return []
    done = np.cumsum(sizes[which])
    cuts = np.searchsorted(done, done[-1] * np.arange(1, n_groups) / n_groups)
    return [group for group in np.split(which, np.unique(cuts)) if len(group)]


def _in_place(chain: Chain, task: int, out: NDArray) -> bool:
    """Whether the output itself has the shape and precision to hold the messages."""
    dense_bigram = not chain.is_pruned and chain.tables.memory == 1
    return task == POSTERIORS and dense_bigram and out.dtype == np.float64


def _walk_group(chain: Chain, spans: NDArray, task: int, out: NDArray, labels: NDArray) -> NDArray:
    logs, in_place = np.empty(len(spans)), _in_place(chain, task, out)
    longest = (chain.offset(spans[:, 1]) - chain.offset(spans[:, 0])).max()
    store = out.reshape(-1) if in_place else np.empty(longest)
    _refuse_broken(chain.kernels.walk(chain.tables, spans, store, in_place, task, out, labels, logs))
    return logs


# ----------------------------------------------------------------------------- one sequence, both ways


def _walk_both_ways(
    chain: Chain, span: NDArray, task: int, out: NDArray, labels: NDArray, n_threads: int
) -> float:
    """`kernels.walk` for one long sequence."""
    first, last, best = int(span[0]) + chain.tables.memory - 1, int(span[1]) - 1, task == BEST_PATH
    middle = (first + last + 1) // 2
    store = out.reshape(-1) if _in_place(chain, task, out) else None
    front = _Half(chain, first, last, (first, middle), store, best)
    back = _Half(chain, first, last, (middle, last + 1), store, best)
    log = sum(_together([front.fill_forward, back.fill_backward], n_threads))
    met, state = front.meet(back)
    if task == POSTERIORS:
        finish = [partial(back.smooth_forward, front, out), partial(front.smooth_backward, back, out)]
        _together(finish, n_threads)
    elif task == BEST_PATH:
        chain.kernels.spell(chain.tables, middle, state, labels)
        finish = [partial(back.trace_forward, state, labels), partial(front.trace_backward, state, labels)]
        _together(finish, n_threads)
    return log + met


class _Half:
    """Steps [begin, end) of a sequence, the messages of one block of them, and checkpoints for the others.

    Messages come from the outer end: α in the front half, β in the back half. `leaving` is the one that goes
    on to the other half.
    """

    def __init__(
        self, chain: Chain, first: int, last: int, steps: Steps, store: NDArray | None, best: bool
    ) -> None:
        begin, end = steps
        self.chain, self.first, self.last, self.best = chain, first, last, best
        self.kernels, self.tables = chain.kernels, chain.tables
        self.in_place = store is not None
        states = int(chain.offset(end) - chain.offset(begin))
        # Blocks of √T steps at least, so that checkpoints take no more room than blocks.
        room = max(MESSAGE_BUDGET, chain.max_states * int(np.ceil(np.sqrt(end - begin))))
        self.store = np.empty(min(room, states)) if store is None else store
        self.blocks = _blocks(chain, begin, end, room)
        self.entries: dict[Steps, NDArray] = {}
        self.leaving = np.empty(chain.max_states)

    def _base(self, block: Steps) -> int:
        return 0 if self.in_place else int(self.chain.offset(block[0]))

    def _message(self, t: int, base: int) -> NDArray:
        """The stored message of step t, copied."""
        low, high = int(self.chain.offset(t)), int(self.chain.offset(t + 1))
        return self.store[low - base : high - base].copy()

    def _fill_block_forward(self, block: Steps) -> float:
        place = (self.entries[block], self.store, self._base(block))
        log, broken = self.kernels.fill_forward(self.tables, self.first, *block, *place, self.best)
        _refuse_broken(broken)
        return log

    def _fill_block_backward(self, block: Steps) -> float:
        place = (self.entries[block], self.store, self._base(block))
        log, broken = self.kernels.fill_backward(self.tables, self.last, *block, *place, self.best)
        _refuse_broken(broken)
        return log

    def fill_forward(self) -> float:
        """Walk forward to the middle; ln of the scales."""
        log = 0.0
        for block in self.blocks:
            self.entries[block] = self.leaving
            log += self._fill_block_forward(block)
            self.leaving = self._message(block[1] - 1, self._base(block))
        return log

    def fill_backward(self) -> float:
        """Walk back to the middle; ln of the scales."""
        log = 0.0
        for block in reversed(self.blocks):
            self.entries[block] = self.leaving
            log += self._fill_block_backward(block)
            self.leaving = self._message(block[0], self._base(block))
        return log

    def meet(self, back: _Half) -> tuple[float, int]:
        """Join the two walks: ln of the sum (or maximum) over paths, and the best state at the middle."""
        middle = back.blocks[0][0]
        message, base = np.empty(len(back.leaving)), int(self.chain.offset(middle))
        place = (middle, middle + 1, self.leaving, message, base)
        log, broken = self.kernels.fill_forward(self.tables, self.first, *place, self.best)
        _refuse_broken(broken)
        weights = message * back.leaving
        _refuse_broken(-1 if weights.any() else middle)
        return log + float(np.log(weights.max() if self.best else weights.sum())), int(weights.argmax())

    def _entry(self, other: _Half) -> NDArray:
        entry = np.empty(self.chain.max_states)
        entry[: len(other.leaving)] = other.leaving
        return entry

    def smooth_forward(self, front: _Half, out: NDArray) -> None:
        """Back half: go on forward, with the β of each block at hand (the first is still in the store)."""
        entry = self._entry(front)
        for n, block in enumerate(self.blocks):
            if n > 0 and not self.in_place:
                self._fill_block_backward(block)
            place = (self.first, *block, entry, self.store, self._base(block))
            _refuse_broken(self.kernels.smooth_forward(self.tables, *place, out))

    def smooth_backward(self, back: _Half, out: NDArray) -> None:
        """Front half: go on back, with the α of each block at hand (the last is still in the store)."""
        entry = self._entry(back)
        for n, block in enumerate(reversed(self.blocks)):
            if n > 0 and not self.in_place:
                self._fill_block_forward(block)
            place = (self.first, self.last, *block, entry, self.store, self._base(block))
            _refuse_broken(self.kernels.smooth_backward(self.tables, *place, out))

    def trace_forward(self, state: int, labels: NDArray) -> None:
        """Back half: follow the best path from `state` at the middle to the end."""
        for n, block in enumerate(self.blocks):
            if n > 0:
                self._fill_block_backward(block)
            begin, end = block[0] + (n == 0), block[1]
            place = (state, self.store, self._base(block))
            state = self.kernels.trace_forward(self.tables, begin, end, *place, labels)

    def trace_backward(self, state: int, labels: NDArray) -> None:
        """Front half: follow the best path from `state` at the middle to the start."""
        for n, block in enumerate(reversed(self.blocks)):
            if n > 0:
                self._fill_block_forward(block)
            place = (state, self.store, self._base(block))
            state = self.kernels.trace_backward(self.tables, *block, *place, labels)


def _blocks(chain: Chain, begin: int, end: int, room: int) -> list[Steps]:
    """Cut [begin, end) into blocks of at most `room` states, of one step at least."""
    edges = [begin]
    while edges[-1] < end:
        if chain.is_pruned:
            offsets = chain.tables.offsets
            fit = int(np.searchsorted(offsets, offsets[edges[-1]] + room, side="right")) - 1
        else:
            fit = edges[-1] + room // chain.max_states
        edges.append(min(end, max(fit, edges[-1] + 1)))
    return list(pairwise(edges))


__all__ = [
    "BEST_PATH",
    "LOGLIK",
    "POSTERIORS",
    "Chain",
    "NoPath",
    "coarse_to_fine",
    "dense",
    "posteriors",
    "pruned",
    "walk",
]
