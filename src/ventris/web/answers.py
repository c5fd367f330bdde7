"""Answers computed apart from the page: in processes of their own, once however many ask, newest first.

All state here belongs to the event loop.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any

from ventris.storage.json_values import to_json
from ventris.web.errors import BusyError, OvertakenError, RefusedError
from ventris.web.room import Answer, found_at, place_of
from ventris.web.worker import be_modest

_KEPT = 600  # answers; the 40 landscapes of the third room are among them
_LARGEST = 40 * 2**20  # bytes of them all
_WAITING = 200  # questions that may wait for a pool
_NICE = {"answers": 0, "previews": 3}  # what learns has more


class Answers:
    """Pools of processes, what they have answered, and what they are asked.

    Parameters
    ----------
    sizes : dict of str to int
        Processes of each pool, begun when first asked.
    memory : int
        Bytes that each of them may use.
    """

    def __init__(self, sizes: dict[str, int], memory: int) -> None:
        self.sizes, self.memory = sizes, memory
        self._pools: dict[str, ProcessPoolExecutor] = {}
        self._kept: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._bytes = 0
        self._asked: dict[tuple[str, str], asyncio.Task[str]] = {}
        self._wanted_by: dict[str, tuple[str, str]] = {}  # the last preview each tab has asked for
        self._waiting: dict[tuple[str, str], set[str]] = {}

    def warm(self) -> None:
        """Begin every pool: nobody should wait for imports."""
        for name in self.sizes:
            for _ in range(self.sizes[name]):
                self._pool(name).submit(_warm)

    def close(self) -> None:
        """End every process."""
        for pool in self._pools.values():
            for process in list(getattr(pool, "_processes", None) or {}):
                with suppress(KeyError, AttributeError):
                    pool._processes[process].kill()
            pool.shutdown(wait=False, cancel_futures=True)

    def pids(self) -> list[int]:
        """Of every process."""
        return [pid for pool in self._pools.values() for pid in list(pool._processes or {})]

    # ------------------------------------------------------------------ asking

    async def ask(self, asked: Answer, question: str, tab: str = "") -> str:
        """The answer to a question in JSON, as JSON.

        A `tab` that asks for another preview no longer wants its last one: nobody else does, and it is left.
        """
        key = (asked.path, question)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if asked.pool == "previews" and tab:
            self._overtake(tab, key)
        task = self._asked.get(key)
        if task is None:
            if len(self._asked) >= _WAITING:
                raise BusyError(
                    f"At most {_WAITING} questions may wait", "as many do already", "Ask again in a moment"
                )
            task = asyncio.get_running_loop().create_task(self._compute(asked, key))
            self._asked[key] = task
            task.add_done_callback(lambda _: self._asked.pop(key, None))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise OvertakenError(
                    "Only the newest preview of a tab is drawn", "a newer one was asked for", "Use that one"
                ) from None
            raise

    def keep(self, path: str, question: str, answer: str) -> None:
        """An answer, perhaps one that someone else has computed."""
        key = (path, question)
        self._bytes += len(answer) - len(self._kept.pop(key, ""))
        self._kept[key] = answer
        while self._kept and (len(self._kept) > _KEPT or self._bytes > _LARGEST):
            self._bytes -= len(self._kept.popitem(last=False)[1])

    def _overtake(self, tab: str, key: tuple[str, str]) -> None:
        before = self._wanted_by.get(tab)
        self._wanted_by[tab] = key
        self._waiting.setdefault(key, set()).add(tab)
        if len(self._wanted_by) > 10 * _WAITING:
            self._wanted_by.pop(next(iter(self._wanted_by)))
        if before is None or before == key:
            return
        wanting = self._waiting.get(before, set())
        wanting.discard(tab)
        if not wanting and before in self._asked:
            self._asked[before].cancel()

    async def _compute(self, asked: Answer, key: tuple[str, str]) -> str:
        try:
            answer = await self._in_pool(asked, key[1])
        finally:
            self._waiting.pop(key, None)
        self.keep(*key, answer)
        return answer

    async def _in_pool(self, asked: Answer, question: str) -> str:
        model = None if asked.question is None else place_of(asked.question)
        place = place_of(asked.answer)
        loop = asyncio.get_running_loop()
        for _ in range(2):  # a process that was killed costs a second try
            pool = self._pool(asked.pool)
            try:
                return await loop.run_in_executor(pool, answer_in_json, place, model, question)
            except BrokenProcessPool:
                if self._pools.get(asked.pool) is pool:
                    del self._pools[asked.pool]
                    pool.shutdown(wait=False)
        raise RefusedError("An answer must come", "the process that computed it ended", "Ask for less")

    def _pool(self, name: str) -> ProcessPoolExecutor:
        if name not in self._pools:
            self._pools[name] = ProcessPoolExecutor(
                self.sizes[name],
                mp_context=multiprocessing.get_context("spawn"),
                initializer=be_modest,
                initargs=(_NICE[name], self.memory),
            )
        return self._pools[name]


def answer_in_json(place: str, model: str | None, question: str) -> str:
    """What a pool's process does: find the function, put the question, write the answer down.

    Examples
    --------
    >>> answer_in_json("ventris.web.rooms.two_classes:presets", None, "")[:13]
    '{"chains":[[0'
    """
    function: Callable[..., Any] = found_at(place)
    given: tuple[Any, ...] = (found_at(model).model_validate_json(question),) if model else ()  # type: ignore[attr-defined]
    return to_json(function(*given))


def _warm() -> None:
    """Import what every answer needs, and stay a moment so that a second process is begun as well."""
    import time

    found_at("ventris.web.rooms:ROOMS")
    time.sleep(0.2)
