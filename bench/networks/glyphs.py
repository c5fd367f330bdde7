"""Print of ten fonts mixed, 100,000 symbols, read by a small convolutional network; the linear one beside it.

Where the supervised network errs far less than the supervised linear classifier, ours must err far less than
our linear one, too: else it would have learnt nothing that the linear one had not taught it.
"""

from __future__ import annotations

from bench.family import Family, Row
from bench.networks.fits import beside, label_free, measure_beside, ratio_numbers, why_not
from bench.reference import supervised_reference
from bench.tasks import Task, glyphs_mixed_fonts
from bench.trust.fits import percent

FAR_BETTER = 0.6  # of the supervised linear error
NO_GAIN = 0.0  # what the bar on the linear classifier sees where that is not so


def measure(task: Task) -> Row:
    """The network, its reference, and the linear classifier without and with labels."""
    row = measure_beside(task, module="cnn")
    linear = label_free(task, None)
    reference = supervised_reference(task)
    return row | {
        "linear": linear["error"],
        "supervised_linear": reference.error_rate,
        "linear_cpu": linear["cpu"] + reference.total_cpu_seconds,
    }


def of_linear(row: Row) -> float:
    """Our network's error in units of our linear one's, where the network could be far better."""
    is_far_better = row["supervised"] <= FAR_BETTER * row["supervised_linear"]
    return float(row["error"] / row["linear"]) if is_far_better else NO_GAIN


def numbers(rows: list[Row]) -> Row:
    """As of every network, and the worst share of the linear error."""
    found = ratio_numbers(rows)
    found["cpu-minutes in all"] += sum(row["linear_cpu"] for row in rows) / 60
    return found | {"worst share of our linear error": max(of_linear(row) for row in rows)}


def line(row: Row) -> str:
    """A run."""
    linear = f"linear {percent(row['linear'])} (supervised {percent(row['supervised_linear'])})"
    cpu = f"CPU {row['cpu']:.0f} s ({row['supervised_cpu']:.0f}; linear {row['linear_cpu']:.0f})"
    return f"{beside(row)}  {linear}  {cpu}  {' '.join(row['doubts'])}"


FAMILY = Family(
    "networks: glyphs, mixed fonts",
    (glyphs_mixed_fonts,),
    3,
    measure=measure,
    numbers=numbers,
    line=line,
    why_not=why_not,
)
