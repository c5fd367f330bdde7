"""Answers that are computed once, however many ask at the same moment."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock


class Remembered:
    """A function from text to text that keeps its last answers.

    Unlike `functools.lru_cache`, a second thread that asks the same while the first still computes waits for
    its answer: fifty visitors who open a page at once cost as much as one.

    Parameters
    ----------
    compute : callable
    size : int
        Answers kept.

    Examples
    --------
    >>> asked = []
    >>> answer = Remembered(lambda question: asked.append(question) or question.upper(), 2)
    >>> answer("a"), answer("a"), asked
    ('A', 'A', ['a'])
    >>> answer.keep("b", "kept")
    >>> answer("b"), answer.at_hand("b"), answer.at_hand("c")
    ('kept', 'kept', None)
    """

    def __init__(self, compute: Callable[[str], str], size: int) -> None:
        self.compute, self.size = compute, size
        self._kept: OrderedDict[str, Future[str]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, question: str) -> str:
        with self._lock:
            place = self._kept.get(question)
            if place is None:
                mine = self._place(question)
            else:
                self._kept.move_to_end(question)
        return place.result() if place is not None else self._answer(question, mine)

    def at_hand(self, question: str) -> str | None:
        """The answer, if it need not be computed."""
        with self._lock:
            place = self._kept.get(question)
        return place.result() if place is not None and place.done() else None

    def keep(self, question: str, answer: str) -> None:
        """An answer that someone else has computed."""
        with self._lock:
            if question not in self._kept:
                self._place(question).set_result(answer)

    def _place(self, question: str) -> Future[str]:
        place: Future[str] = Future()
        self._kept[question] = place
        while len(self._kept) > self.size:
            self._kept.popitem(last=False)
        return place

    def _answer(self, question: str, place: Future[str]) -> str:
        try:
            place.set_result(self.compute(question))
        except BaseException as problem:
            with self._lock:
                self._kept.pop(question, None)  # a failure is not kept: the next may fare better
            place.set_exception(problem)
        return place.result()


def remembered(size: int) -> Callable[[Callable[[str], str]], Remembered]:
    """Keep the last `size` answers of the decorated function."""
    return lambda compute: Remembered(compute, size)
