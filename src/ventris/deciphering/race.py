"""The search for the code table: contenders start until the best answer recurs, and fresh points confirm it.

Every contender has a measure of its own, and a wrong answer can be the best by it, again and again. So the
ends of all starts are put on one footing, by a few rounds of expectation–maximisation, and compared by how
likely they make a stretch of the codes as a label sequence, which is what counts in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext, Contender
from ventris.deciphering.descent import is_matched, settle, table_cost
from ventris.deciphering.expectation import read_and_learn, table_score
from ventris.deciphering.likelihood import explain
from ventris.deciphering.names import settle_names

Array = NDArray[np.floating]


@dataclass(frozen=True)
class TableSearch:
    """The best table found and how sure the search is of it.

    Attributes
    ----------
    table : array of shape (K, C)
    cost : float
        J summed over the lags (E11).
    excess_cost : float
        J − H: what the table could not explain.
    recurrence : int
        Independent starts that ended in this answer.
    n_starts : int
        Starts made in all.
    found_by : str
        The contender whose table it is.
    fresh_score : float or None
        Sequence score on points not used to find it, in nats a symbol; None where none were held out.
    fresh_margin : float or None
        By how much the best different answer scores less there; negative if it scores more.
    n_fresh : int
        Points of that check.
    margin : float or None
        By how much the best different answer scores less on the points searched; None if there is none.
    rivals : tuple of (names, loss, deviation)
        Other namings of the answer, nearest first: what each label is called there, by how many nats the
        codes are less likely, and the standard error of that.
    """

    table: Array
    cost: float
    excess_cost: float
    recurrence: int
    n_starts: int
    found_by: str = ""
    fresh_score: float | None = None
    fresh_margin: float | None = None
    n_fresh: int = 0
    margin: float | None = None
    rivals: tuple[tuple[tuple[int, ...], float, float], ...] = ()


@dataclass(frozen=True)
class _End:
    """Where one start or several ended; a relabelling of another end is an answer, but no start's."""

    table: Array
    score: float  # of the sample read as a sequence, less J − H for very few labels: ends are compared by it
    found_by: str
    n_starts: int


def race(
    contenders: Sequence[Contender],
    ciphertext: Ciphertext,
    rng: np.random.Generator,
    *,
    n_starts: int,
    on_turn: Callable[[float], object] | None = None,
) -> TableSearch:
    """Let contenders start in turn until the best answer has been reached twice (multi-start search).

    The first two always take part, so that an answer one of them gives again and again meets an answer found
    another way; the others join while there is no recurrence, lap after lap. After `max_laps` of the
    ciphertext's settings the best so far is returned, with the recurrence it has.

    Parameters
    ----------
    contenders : sequence of Contender
        The likeliest to arrive first.
    ciphertext : Ciphertext
    rng : Generator
    n_starts : int
        Starts of a descent; the others make fewer, dearer ones.
    on_turn : callable, optional
        Told J − H of the best so far; a true answer ends the race.
    """
    ends: list[_End] = []
    renamed: list[_End] = []  # answers whose other namings are among the ends already
    made, settings = 0, ciphertext.settings
    for lap in range(settings.max_laps):
        for number, contender in enumerate(contenders):
            if (lap or number > 1) and _recurrence(ends, ciphertext) >= settings.recurrences:
                return _verdict(ends, ciphertext, made)
            tables, starts = contender.search(ciphertext, n_starts, rng)
            made += starts
            for group in _grouped(tables, ciphertext):
                table = group[0] if contender.has_read else _on_one_footing(group[0], ciphertext)
                ends.append(_end(table, contender.name, len(group), ciphertext))
            best = _best(ends)
            if not any(_agree(end.table, best.table, ciphertext) for end in renamed):
                others = _relabellings(best, ciphertext)
                ends, renamed = ends + others, [*renamed, best, *others]
            if on_turn and on_turn(_excess(_best(ends).table, ciphertext)):
                return _verdict(ends, ciphertext, made)
    return _verdict(ends, ciphertext, made)


def _grouped(tables: Sequence[Array], ciphertext: Ciphertext) -> list[list[Array]]:
    """Tables that are one answer together, the first of each group being the one the others agree with."""
    groups: list[list[Array]] = []
    for table in tables:
        home = next((group for group in groups if _agree(group[0], table, ciphertext)), None)
        if home is None:
            groups.append([table])
        else:
            home.append(table)
    return groups


def _on_one_footing(table: Array, ciphertext: Ciphertext) -> Array:
    return read_and_learn(table, ciphertext.lesson, ciphertext, ciphertext.settings.footing_rounds)


def _end(table: Array, found_by: str, n_starts: int, ciphertext: Ciphertext) -> _End:
    score = table_score(table, ciphertext.sample, ciphertext)
    if table.shape[1] <= ciphertext.settings.renamed_classes:
        score -= unmatched(table, ciphertext)
    return _End(table, score, found_by, n_starts)


def unmatched(table: Array, ciphertext: Ciphertext) -> float:
    """J − H as a witness of names: nats a symbol, up to where it says nothing more.

    With two or three labels only their names are in doubt, and under a weak label model the sequence score
    says little about names; J − H, from pairs at all lags counted over all points, says more. Where classes
    overlap, the right names leave nearly as much unmatched as the wrong ones.
    """
    most = ciphertext.settings.matched_share * ciphertext.statistics.dependence
    return min(_excess(table, ciphertext), most)


def with_names(found: TableSearch, ciphertext: Ciphertext) -> TableSearch:
    """The same search once the answer's own renamings were asked, by the likelihood of the codes.

    Two or three labels whose pairs are matched were named by the race itself, which compares every naming.
    """
    settings, sample = ciphertext.settings, ciphertext.sample
    few = found.table.shape[1] <= settings.renamed_classes
    if few and is_matched(found.table, ciphertext, settings.matched_share):
        return found
    transitions = np.asarray(ciphertext.lm.conditional(2), dtype=np.float64)
    start = (1 - settings.settle_floor) * found.table + settings.settle_floor / found.table.shape[1]
    for n_points in (
        settings.names_points,
        len(sample.codes),
    ):  # all of them only where a part says too little
        stretch = sample.beginning(n_points)
        answer = explain(start, stretch, transitions, settings=settings)
        named, rivals = settle_names(answer, stretch, transitions, settings=settings)
        if all(rival.is_behind(settings) for rival in rivals):
            break
    # Where pairs are matched, the table that matches them best is as good a start, and names are kept.
    table = (
        found.table
        if named is answer and is_matched(found.table, ciphertext, settings.matched_share)
        else named.table
    )
    return replace(
        found,
        table=table,
        cost=table_cost(table, ciphertext.statistics),
        excess_cost=_excess(table, ciphertext),
        rivals=tuple((tuple(r.names.tolist()), r.loss, r.deviation) for r in rivals),
    )


def _relabellings(best: _End, ciphertext: Ciphertext) -> list[_End]:
    """The other namings of the best answer, for very few labels.

    With two or three labels each is a basin of its own that no start may have reached.
    """
    n_classes, settings = best.table.shape[1], ciphertext.settings
    if n_classes > settings.renamed_classes or ciphertext.anchor is not None:
        return []
    softened = settings.renamed_share * best.table + (1 - settings.renamed_share) / n_classes
    others = [list(order) for order in permutations(range(n_classes))][1:]
    settled = [settle(softened[:, order], ciphertext.statistics, settings=settings) for order in others]
    return [_end(_on_one_footing(table, ciphertext), best.found_by, 0, ciphertext) for table in settled]


def _best(ends: Sequence[_End]) -> _End:
    return max(ends, key=lambda end: end.score)


def _agree(one: Array, other: Array, ciphertext: Ciphertext) -> bool:
    same = one.argmax(axis=1) == other.argmax(axis=1)
    return bool(same @ ciphertext.code_frequency >= ciphertext.settings.same_answer)


def _recurrence(ends: Sequence[_End], ciphertext: Ciphertext) -> int:
    best = _best(ends).table
    return sum(end.n_starts for end in ends if _agree(end.table, best, ciphertext))


def _excess(table: Array, ciphertext: Ciphertext) -> float:
    return table_cost(table, ciphertext.statistics) - ciphertext.statistics.entropy


def _deepened(ends: Sequence[_End], ciphertext: Ciphertext) -> Sequence[_End]:
    """The best few answers read with longer n-grams, where codes are so impure that pairs may mislead.

    Expectation–maximisation with pairs leaves the truth there; with triples it stays.
    """
    order, settings, best = ciphertext.deep_order, ciphertext.settings, _best(ends)
    purity = float(ciphertext.code_frequency @ best.table.max(axis=1))
    if order <= ciphertext.order or purity >= settings.pure:
        return ends
    answers: list[_End] = []
    for end in sorted(ends, key=lambda end: -end.score):
        if len(answers) < settings.deep_answers and not any(
            _agree(end.table, each.table, ciphertext) for each in answers
        ):
            answers.append(end)
    lesson = ciphertext.sample.beginning(settings.deep_points)
    deeper = []
    for end in answers:
        table = read_and_learn(end.table, lesson, ciphertext, settings.deep_rounds, order)
        score = table_score(table, ciphertext.sample, ciphertext, order)
        starts = sum(each.n_starts for each in ends if _agree(each.table, end.table, ciphertext))
        deeper.append(_End(table, score, end.found_by, starts))
    return deeper


def _verdict(ends: Sequence[_End], ciphertext: Ciphertext, made: int) -> TableSearch:
    """The best end, and what points no contender has seen say about it and its best rival."""
    ends = _deepened(ends, ciphertext)
    best, fresh = _best(ends), ciphertext.fresh
    same = [end for end in ends if _agree(end.table, best.table, ciphertext)]
    rivals = [end for end in ends if not _agree(end.table, best.table, ciphertext)]
    # Of tables read about as well, the one whose pairs fit best: they were counted over all the points.
    slack = ciphertext.settings.close_score * abs(best.score)
    close = [end for end in same if end.score >= best.score - slack]
    chosen = min(close, key=lambda end: table_cost(end.table, ciphertext.statistics))
    fresh_score = fresh_margin = None
    if len(fresh.codes):
        fresh_score = table_score(chosen.table, fresh, ciphertext)
    if len(fresh.codes) and rivals:
        # Answers are compared by what each is read best with, not by what suits the pairs.
        ours, theirs = (table_score(end.table, fresh, ciphertext) for end in (best, _best(rivals)))
        fresh_margin = ours - theirs
    return TableSearch(
        chosen.table,
        table_cost(chosen.table, ciphertext.statistics),
        _excess(chosen.table, ciphertext),
        _recurrence(ends, ciphertext),
        made,
        chosen.found_by,
        fresh_score,
        fresh_margin,
        len(fresh.codes),
        best.score - _best(rivals).score if rivals else None,
    )
