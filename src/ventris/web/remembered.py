"""Answers that are computed once, however many ask at the same moment."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from functools import wraps
from threading import Lock


def remembered(size: int) -> Callable[[Callable[[str], str]], Callable[[str], str]]:
    """Keep the last `size` answers of a function from text to text.

    Unlike `functools.lru_cache`, a second thread that asks the same while the first still computes waits for
    its answer: fifty visitors who open a page at once cost as much as one.

    Examples
    --------
    >>> asked = []
    >>> @remembered(2)
    ... def answer(question):
    ...     asked.append(question)
    ...     return question.upper()
    >>> answer("a"), answer("a"), asked
    ('A', 'A', ['a'])
    """

    def decorate(compute: Callable[[str], str]) -> Callable[[str], str]:
        kept: OrderedDict[str, Future[str]] = OrderedDict()
        lock = Lock()

        @wraps(compute)
        def ask(question: str) -> str:
            with lock:
                known = kept.get(question)
                if known is None:
                    mine: Future[str] = Future()
                    kept[question] = mine
                    while len(kept) > size:
                        kept.popitem(last=False)
                else:
                    kept.move_to_end(question)
            if known is not None:
                return known.result()
            try:
                mine.set_result(compute(question))
            except BaseException as problem:
                with lock:
                    kept.pop(question, None)  # a failure is not kept: the next may fare better
                mine.set_exception(problem)
            return mine.result()

        return ask

    return decorate
