"""The paper's chains read with the label model of another chain: the 42 nearest pairs of the ninety.

Near is by the largest difference of a transition; equal distances keep the order of the chains. Right up to
names means: within one point of supervised learning once the two labels may be exchanged. The label model is
wrong in every run and often nearer to the truth with its labels exchanged, which nothing in the data tells: a
doubt is in place in every run, and only silence is counted.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from bench.family import Family, Row
from bench.reference import supervised_reference
from bench.tasks import Task, paper_chain
from bench.trust.fits import MISMATCH, NAMES_WRONG, doubt_numbers, doubted, ending, errors, fit, percent
from ventris import NgramModel
from ventris.datasets.paper_chains import TRANSITIONS

N_PAIRS, WITHIN = 42, 0.01


def nearest_pairs(n_pairs: int = N_PAIRS) -> list[tuple[int, int]]:
    """Ordered pairs of different chains, numbers from 1 on, the nearest first.

    Examples
    --------
    >>> nearest_pairs(4)
    [(2, 7), (3, 4), (4, 3), (7, 2)]
    """
    distance = np.abs(TRANSITIONS[:, None] - TRANSITIONS[None]).max(axis=(2, 3)).round(9)
    pairs = [(i, j) for i in range(10) for j in range(10) if i != j]
    return [(i + 1, j + 1) for i, j in sorted(pairs, key=lambda pair: distance[pair])[:n_pairs]]


def neighbour_chain(number: int, given: int, seed: int) -> Task:
    """Points of chain `number`; the true label model is needed by nobody but the data."""
    return replace(paper_chain(number, seed), name=f"chain {number} as {given}")


def measure(task: Task) -> Row:
    """A fit with the other chain's label model."""
    other = int(task.name.split()[-1])
    clf, row = fit(NgramModel.from_transition_matrix(TRANSITIONS[other - 1]), task.X_train, seed=task.seed)
    reference = supervised_reference(task)
    given = {"task": task.name, "seed": task.seed, "supervised": reference.error_rate}
    return given | errors(clf, task.X_test, task.y_test) | row


def up_to_names(row: Row) -> bool:
    """Within one point of supervised once the labels may be renamed."""
    return row["renamed"] <= row["supervised"] + WITHIN


def names_right(row: Row) -> bool:
    """No renaming lowers the error by much."""
    return row["error"] <= row["renamed"] + NAMES_WRONG


def numbers(rows: list[Row]) -> Row:
    """Right up to names, right with names, and wrong names without a doubt."""
    named = doubt_numbers(rows, [names_right(row) for row in rows])
    right = [row for row in rows if up_to_names(row) and names_right(row)]
    return {
        "runs": len(rows),
        "right up to names": sum(map(up_to_names, rows)),
        "right": len(right),
        "names right": named["right"],
        "wrong names, silent": named["wrong, silent"],
        "right, doubted besides": sum(doubted(row, [MISMATCH]) for row in right) / max(1, len(right)),
        "wrong names, doubted besides": sum(not names_right(r) and doubted(r, [MISMATCH]) for r in rows),
        "cpu": float(np.mean([row["cpu"] for row in rows])),
    }


def line(row: Row) -> str:
    """A run."""
    return (
        f"{row['task']:<14} seed {row['seed']}  supervised {percent(row['supervised'])}  unsupervised "
        f"{percent(row['error'])} (renamed {percent(row['renamed'])})  decoded {percent(row['decoded'])}  "
        f"{ending(row)}"
    )


FAMILY = Family(
    "neighbour chains",
    tuple(partial(neighbour_chain, number, given) for number, given in nearest_pairs()),
    1,
    first_seed=302,  # 300 was looked at while clusters were built in, 301 to say which doubts are voiced
    measure=measure,
    numbers=numbers,
    line=line,
)
