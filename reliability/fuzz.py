"""Files changed at random, for minutes: every reader must read them or refuse them with a sentence.

A try is a function of its number, so a loss can be tried again: `python -m reliability.fuzz TARGET NUMBER`.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ventris as vt
from reliability.case import brief
from reliability.material import X, fitted
from reliability.tally import Group, Tally
from ventris.errors import VentrisError, VentrisWarning
from ventris.readers import load_schema, read_data, read_label_column, read_label_model, read_label_sequences
from ventris.storage.persistence import load_state, save_state

ABOUT = (
    "Whole files are changed at random (bits, cuts, repetitions, foreign numbers, and for model files the "
    "content behind a checksum put right) with a fixed seed. Each reader must read the result, or refuse "
    "it with an error of Ventris, within 20 CPU-seconds and 2 GB more memory."
)
_SECONDS = 20
_MORE_MEMORY = 2 * 2**30
_NUMBERS = [
    b"0",
    b"-1",
    b"1e999",
    b"nan",
    b"inf",
    b"-inf",
    b"9" * 30,
    b"1e-400",
    b"",
    b"\xff",
    b"\0",
    "é".encode(),
]
_JSON_VALUES: list[Any] = [None, -1, 0, 10**30, 1e308, "", "x", [], {}, [[1]], True, [1.5, "a"]]
Rng = np.random.Generator


@dataclass(frozen=True)
class Target:
    """A reader, the ending of its files, and whole files to begin with."""

    name: str
    ending: str
    read: Callable[[Path], object]
    seeds: Callable[[], list[bytes]]
    structured: bool = False


# --------------------------------------------------------------------------------------------- seeds


def _saved(save: Callable[[Path], object], ending: str = "") -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{ending}"
        save(path)
        return path.read_bytes()


@cache
def _arpa_seeds() -> list[bytes]:
    text = vt.NgramModel.from_text("abracadabra and a cadabra", 3)
    numbers = vt.NgramModel.from_transition_matrix([[0.1, 0.9], [0.7, 0.3]])
    kneser = vt.NgramModel.from_sequences([list("abbacab")] * 3, 2, smoothing="kneser-ney")
    return [_saved(lm.to_arpa) for lm in (text, numbers, kneser)]


@cache
def _model_seeds() -> list[bytes]:
    letters = vt.NgramModel.from_sequences([list("abacabcabbacab" * 9)], order=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        symbols = vt.SequenceClassifier(letters, n_init=2, random_state=0).fit(np.arange(99) % 3)
    return [_saved(fitted().save), _saved(symbols.save)]


def _array_seeds() -> list[bytes]:
    small = X[:20]
    arrays = [
        small,
        small.astype(np.float32),
        np.arange(9) % 3,
        small.reshape(2, 10, 2),
        np.asfortranarray(small),
    ]
    return [_saved(lambda path, a=array: np.save(path, a), ".npy") for array in arrays]  # type: ignore[misc]


def _archive_seeds() -> list[bytes]:
    return [
        _saved(lambda path: np.savez(path, X=X[:20], lengths=[5, 15]), ".npz"),
        _saved(lambda path: np.savez_compressed(path, X=X[:20]), ".npz"),
    ]


def _table_seeds() -> list[bytes]:
    return [
        b"a,b\n1,2\n3,4\n-1e-3,5\n",
        b"sequence,a,label\nu,1,x\nu,2,y\nv,3,x\n",
        b'"a","b"\n"1",2\n3,"4"\n',
    ]


@cache
def _parquet_seeds() -> list[bytes]:
    import pandas as pd

    frame = pd.DataFrame(
        {"sequence": ["u", "u", "v"], "a": [1.0, 2.0, 3.0], "b": [1, 2, 3], "label": list("xyx")}
    )
    return [_saved(frame.to_parquet, ".parquet")]


def _symbol_seeds() -> list[bytes]:
    return [b"a b c a\nb b a\n", b"0 1 2 1\n10 2\n", "ä ß 数 ä\n".encode()]


def _read_model(path: Path) -> None:
    clf = vt.load(path)
    load_schema(path)
    for points in (X[:9], np.arange(5) % 3):
        if clf.symbolic_ == (points.ndim == 1):
            clf.predict_proba(points)
            clf.decode(points)


def _read_arpa(path: Path) -> None:
    lm = read_label_model(path)
    assert np.isfinite(lm.joint()).all() and abs(lm.joint().sum() - 1) < 1e-6, "the joint is none"
    lm.pair(2)
    lm.sample(5, random_state=0)


TARGETS = {
    target.name: target
    for target in (
        Target("ARPA", ".arpa", _read_arpa, _arpa_seeds),
        Target("model", ".ventris", _read_model, _model_seeds),
        Target("model, checksum put right", ".ventris", _read_model, _model_seeds, structured=True),
        Target("npy", ".npy", read_data, _array_seeds),
        Target("npz", ".npz", read_data, _archive_seeds),
        Target("csv", ".csv", read_data, _table_seeds),
        Target("tsv", ".tsv", read_data, lambda: [seed.replace(b",", b"\t") for seed in _table_seeds()]),
        Target("parquet", ".parquet", read_data, _parquet_seeds),
        Target("symbols", ".txt", read_data, _symbol_seeds),
        Target("labels", ".txt", read_label_sequences, _symbol_seeds),
        Target("label column", ".csv", read_label_column, _table_seeds),
        Target("label column, npy", ".npy", read_label_column, _array_seeds),
        Target("state", ".state", load_state, _model_seeds),
    )
}


# ------------------------------------------------------------------------------------------- changes


def changed(content: bytes, rng: Rng) -> bytes:
    """One to six changes, one after another."""
    for _ in range(int(rng.integers(1, 7))):
        content = _CHANGES[int(rng.integers(len(_CHANGES)))](content, rng)
    return content


def _place(content: bytes, rng: Rng) -> int:
    return int(rng.integers(len(content) + 1))


def _flip(content: bytes, rng: Rng) -> bytes:
    if not content:
        return content
    at = int(rng.integers(len(content)))
    return content[:at] + bytes([content[at] ^ (1 << int(rng.integers(8)))]) + content[at + 1 :]


def _cut(content: bytes, rng: Rng) -> bytes:
    return content[: _place(content, rng)]


def _leave_out(content: bytes, rng: Rng) -> bytes:
    at = _place(content, rng)
    return content[:at] + content[at + int(rng.integers(1, 40)) :]


def _repeat(content: bytes, rng: Rng) -> bytes:
    first, last = sorted((_place(content, rng), _place(content, rng)))
    return content[:last] + content[first : min(last, first + 2000)] + content[last:]


def _insert(content: bytes, rng: Rng) -> bytes:
    at = _place(content, rng)
    return content[:at] + rng.bytes(int(rng.integers(1, 9))) + content[at:]


def _other_number(content: bytes, rng: Rng) -> bytes:
    """A word becomes a number that is hard to hold."""
    words = content.replace(b",", b" ").replace(b"\t", b" ").replace(b"=", b" ").split()
    if not words:
        return content
    word = words[int(rng.integers(len(words)))]
    return content.replace(word, _NUMBERS[int(rng.integers(len(_NUMBERS)))], int(rng.integers(1, 4)))


def _swap_lines(content: bytes, rng: Rng) -> bytes:
    lines = content.split(b"\n")
    a, b = rng.integers(len(lines), size=2)
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


_CHANGES = [_flip, _flip, _cut, _leave_out, _repeat, _insert, _other_number, _other_number, _swap_lines]


def edited(content: bytes, folder: Path, rng: Rng) -> bytes:
    """A model file whose arrays and header are changed, and whose checksum is right."""
    path = folder / "whole"
    path.write_bytes(content)
    arrays, header = load_state(path)
    for _ in range(int(rng.integers(1, 4))):
        if rng.random() < 0.5:
            name = sorted(arrays)[int(rng.integers(len(arrays)))]
            arrays[name] = _other_array(arrays[name], rng)
        else:
            _edit_json(header, rng)
    save_state(path, arrays, header)
    return path.read_bytes()


def _other_array(array: Any, rng: Rng) -> Any:
    whole = np.issubdtype(array.dtype, np.integer)
    bad = [0, 1, 7, np.iinfo(array.dtype).max] if whole else [np.nan, np.inf, -1.0, 0.0, 1e30, 2.0]
    kind = int(rng.integers(5))
    if kind == 0:
        with np.errstate(invalid="ignore"):
            return array.astype([np.int64, np.float32, np.uint8, np.float64][int(rng.integers(4))])
    if kind == 1:
        return array.ravel()[: int(rng.integers(array.size + 1))]
    if kind == 2:
        return array[..., None] if array.ndim else array
    other = array.copy()
    if other.size:
        other.ravel()[int(rng.integers(other.size))] = bad[int(rng.integers(len(bad)))]
    return other


def _edit_json(value: Any, rng: Rng) -> None:
    """Walk to a random place of a JSON value and put something else there."""
    while value:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = keys[int(rng.integers(len(keys)))]
        if isinstance(value[key], dict | list) and value[key] and rng.random() < 0.8:
            value = value[key]
            continue
        value[key] = json.loads(json.dumps(_JSON_VALUES[int(rng.integers(len(_JSON_VALUES)))]))
        return


# --------------------------------------------------------------------------------------------- tries


@contextmanager
def memory_limit(n_bytes: int) -> Iterator[None]:
    """So many bytes more than now, so that a small file cannot take the machine."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """TimeoutError after so many seconds of CPU, or ten times as many by the clock: a machine may be busy."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} seconds of CPU, or {10 * seconds} by the clock")

    timers = {signal.SIGPROF: (signal.ITIMER_PROF, 1), signal.SIGALRM: (signal.ITIMER_REAL, 10)}
    before = {number: signal.signal(number, too_long) for number in timers}
    for timer, factor in timers.values():
        signal.setitimer(timer, factor * seconds)
    try:
        yield
    finally:
        for number, (timer, _) in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def spoilt(target: Target, number: int, folder: Path) -> bytes:
    """The file of one try."""
    rng = np.random.default_rng([number, *target.name.encode()])
    seeds = target.seeds()
    seed = seeds[int(rng.integers(len(seeds)))]
    return edited(seed, folder, rng) if target.structured else changed(seed, rng)


def why_lost(target: Target, number: int) -> tuple[str, bool]:
    """Try one file: what was lost, if anything, and whether the reader took the file as good."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"file{target.ending}"
        path.write_bytes(spoilt(target, number, Path(name)))
        try:
            with warnings.catch_warnings(), memory_limit(_MORE_MEMORY), time_limit(_SECONDS):
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", VentrisWarning)
                warnings.filterwarnings("ignore", "X does not have valid feature names")  # ours have none
                target.read(path)
        except VentrisError:
            return "", False
        except Exception as problem:
            return brief(problem), False
    return "", True


def run(minutes: float = 10.0, first: int = 0) -> Tally:
    """Try the targets in turn until the time is over."""
    groups = {name: Group(name) for name in TARGETS}
    read = dict.fromkeys(TARGETS, 0)
    seen: set[str] = set()
    end, number = time.monotonic() + 60 * minutes, first
    while time.monotonic() < end:
        for name, target in TARGETS.items():
            loss, good = why_lost(target, number)
            read[name] += good
            known = loss in seen  # one place in the code is one loss, however often it is hit
            seen.add(loss)
            groups[name].add(f"number {number}", "" if known else loss)
        number += 1
    for name, group in groups.items():
        group.measured = f"{read[name]:,} read, the others refused"
    return Tally("fuzz", f"{ABOUT} This run took {minutes:g} minutes.", list(groups.values()))


if __name__ == "__main__":
    chosen, which = TARGETS[sys.argv[1]], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / f"file{chosen.ending}"
        file.write_bytes(spoilt(chosen, which, Path(place)))
        print(file.read_bytes()[:2000])
        chosen.read(file)
