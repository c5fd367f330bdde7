"""A network fitted without labels, and the same network with them, tuned on validation data."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.family import Row
from bench.metrics import error_rate
from bench.tasks import Task
from bench.trust.fits import errors, fit, percent

TIE = 1e-6  # nats count only where validation errors are equal


def why_not() -> str:
    """Why networks cannot be measured here."""
    missing = [name for name in ("torch", "skorch") if find_spec(name) is None]
    return f"{' and '.join(missing)} not installed (pip install 'ventris[torch]')" if missing else ""


def one_thread() -> None:
    """Two threads that wait for one another cost more than they save."""
    import torch

    torch.set_num_threads(1)


def learner(module: str, seed: int, **asked: Any) -> Any:
    """A preset with its default settings."""
    from ventris.torch import TorchLearner

    return TorchLearner(module, random_state=seed, **asked)


def validated(task: Task) -> Callable[[Any], float]:
    """What chooses passes of the supervised network: its errors on validation data, after each."""

    def judge(learnt: Any) -> float:
        outputs, y = learnt.predict_proba(task.X_validation), task.y_validation
        nats = np.log(np.maximum(outputs[np.arange(len(y)), y], 1e-9)).mean()
        return float(TIE * nats - error_rate(y, outputs.argmax(axis=1)))

    return judge


def supervised(task: Task, module: str, **asked: Any) -> Row:
    """The network with true labels: each weight decay that ours tries, the best pass of all by validation."""
    from ventris.torch.settings import DEFAULT

    to_the_last = replace(DEFAULT, patience=1.0)  # a better pass is waited for as long as ours may be taught
    targets = np.eye(task.lm.n_classes, dtype=np.float32)[task.y_train]
    judge, began, tried = validated(task), time.process_time(), []
    for weight_decay in DEFAULT.weight_decays:
        one = learner(module, task.seed, weight_decay=weight_decay, settings=to_the_last, **asked)
        one.attend(judge)
        one.fit(task.X_train, targets)
        tried.append((judge(one), weight_decay, one))
    _, weight_decay, best = max(tried, key=lambda each: each[0])
    return {
        "supervised": error_rate(task.y_test, best.predict_proba(task.X_test).argmax(axis=1)),
        "supervised_decay": weight_decay,
        "supervised_cpu": time.process_time() - began,
    }


def label_free(task: Task, classifier: Any) -> Row:
    """The fit without labels; only then are they looked at."""
    clf, row = fit(task.lm, task.X_train, task.lengths, seed=task.seed, classifier=classifier)
    chosen = getattr(clf.learner_, "chosen_", None)
    return row | errors(clf, task.X_test, task.y_test) | {"chosen": None if chosen is None else list(chosen)}


def measure_beside(task: Task, module: str, **asked: Any) -> Row:
    """Both, for one task."""
    one_thread()
    found = label_free(task, learner(module, task.seed, **asked))
    return {"task": task.name, "seed": task.seed} | found | supervised(task, module, **asked)


def ratio(row: Row) -> float:
    """Our error in units of the supervised one."""
    return float(row["error"] / max(row["supervised"], 1e-9))


def ratio_numbers(rows: list[Row]) -> Row:
    """Mean and worst ratio, and what they cost."""
    return {
        "runs": len(rows),
        "mean ratio": float(np.mean([ratio(row) for row in rows])),
        "worst ratio": max(ratio(row) for row in rows),
        "mean error": float(np.mean([row["error"] for row in rows])),
        "mean supervised": float(np.mean([row["supervised"] for row in rows])),
        "mean decoded": float(np.mean([row["decoded"] for row in rows])),
        "cpu": float(np.mean([row["cpu"] for row in rows])),
        "supervised cpu": float(np.mean([row["supervised_cpu"] for row in rows])),
        "cpu-minutes in all": sum(row["cpu"] + row["supervised_cpu"] for row in rows) / 60,
    }


def beside(row: Row) -> str:
    """How a line begins."""
    chosen = "" if row["chosen"] is None else f"  decay {row['chosen'][0]:g}, {row['chosen'][1]} passes"
    return (
        f"{row['task']:<20} seed {row['seed']}  supervised {percent(row['supervised'])}  unsupervised "
        f"{percent(row['error'])} ({ratio(row):.2f}x)  decoded {percent(row['decoded'])}{chosen}"
    )


def line(row: Row) -> str:
    """A run."""
    doubts = " ".join(row["doubts"])
    return f"{beside(row)}  CPU {row['cpu']:.1f} s ({row['supervised_cpu']:.1f})  {doubts}"
