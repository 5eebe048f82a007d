# SPDX-License-Identifier: Apache-2.0
"""The guard for tasks of asyncio."""
from __future__ import annotations

import asyncio
import functools
import secrets
import time
from typing import Any, Callable, Iterable, Optional

import redis
from redis.client import NEVER_DECODE

from ._steps import AWAY, GuardError, Key, Overloaded, Steps, by_key, cached, checked_wait, enough, is_leased, key_bytes, load_many, shared


class AsyncGuard(Steps):
    """For tasks of asyncio, over redis.asyncio. Loaders are coroutine functions. refresh_ahead loads in a task of its own."""

    def __init__(self, redis: Any, name: str, **options: Any):
        super().__init__(redis, name, **options)
        self._turns, self._tasks = asyncio.Semaphore(self.queries_at_once), set()
        self._polls: dict = {}

    async def get(self, key: Key, load: Callable, *, fence: Optional[tuple] = None, wait_limit: Optional[float] = None) -> Any:
        """As Guard.get; a task that is cancelled while it loads gives its lease back."""
        name = key_bytes(key)

        async def load_one(_):
            return {name: await load(key)}
        return (await self._drive(self._rows([name], fence, wait_limit), load_one))[name]

    async def get_many(self, keys: Iterable[Key], load: Callable, *, fence: Optional[tuple] = None, wait_limit: Optional[float] = None) -> dict:
        """As Guard.get_many."""
        keys = list(keys)
        by_name = by_key(keys)

        async def load_some(names):
            found = await load([by_name[name] for name in names])
            return load_many(by_name, lambda _: found, names)
        rows = await self._drive(self._rows([key_bytes(key) for key in keys], fence, wait_limit), load_some)
        return {key: rows[key_bytes(key)] for key in keys}

    async def open(self) -> None:
        """As Guard.open."""
        await self._drive(self._open(), None)

    def announce(self, *keys: Key, wait: int = 0, wait_limit: float = 1) -> "AsyncAnnouncement":
        """As Guard.announce, for `async with`."""
        return AsyncAnnouncement(self, list(by_key(keys)), wait, wait_limit)

    async def erase(self, *keys: Key) -> None:
        """As Guard.erase."""
        await self._drive(self._erase(list(by_key(keys)), ""), None)

    def cached(self, key: Callable[..., Key]) -> Callable:
        """As Guard.cached, of coroutine functions."""
        return functools.partial(cached, self, key)

    async def _drive(self, steps, load):
        result, error = None, None
        while True:
            try:
                what, *words = steps.throw(error) if error else steps.send(result)
            except StopIteration as stop:
                return stop.value
            result, error = None, None
            try:
                if what == "run":
                    result = await self._kept(self._run(*words), *words)
                elif what == "load":
                    result = await self._with_turn(load, *words)
                elif what == "sleep":
                    await asyncio.sleep(*words)
                elif what == "poll":
                    result = await self._poll(*words)
                else:
                    self._keep(asyncio.ensure_future(self._drive(self._refresh(*words[0]), load)))
            except BaseException as failed:
                error = failed

    def _keep(self, task):
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _kept(self, running, words, wait=0, wait_limit=0.0):
        """A request that is under way goes on when its task is cancelled, or it takes too long; what it leased is given back."""
        task = self._keep(asyncio.ensure_future(running))
        try:
            done, _ = await asyncio.wait({task}, timeout=self.server_timeout + (wait_limit if wait else 0))
        except asyncio.CancelledError:
            self._keep(asyncio.ensure_future(self._give_back(task, words)))
            raise
        if not done:
            self._keep(asyncio.ensure_future(self._give_back(task, words)))
            raise redis.TimeoutError(f"the server does not answer within {self.server_timeout} s")
        return task.result()

    async def _give_back(self, task, words):
        try:
            answers = await task
            if words[1 + words[0]] == "get":
                held = {name: answer[-1] for name, answer in zip(words[-len(answers):], answers)
                        if is_leased(answer)}
                await self._drive(self._drop(held), None)
        except AWAY:
            self._count("server_errors")

    async def _run(self, words: tuple, wait: int = 0, wait_limit: float = 0):
        options = {NEVER_DECODE: True}
        if wait:
            async with self.redis.pipeline(transaction=False) as both:
                both.execute_command(*self._sent(words, is_known=False), **options)
                both.execute_command("WAIT", wait, round(wait_limit * 1000))
                return enough(wait, *await both.execute(raise_on_error=False))
        try:
            return await self.redis.execute_command(*self._sent(words), **options)
        except (redis.exceptions.NoScriptError, redis.ConnectionError):  # every verb may come twice
            return await self.redis.execute_command(*self._sent(words, is_known=False), **options)

    async def _poll(self, name, pause, deadline):
        """The server's answer about the key, after a pause: one question for all tasks that came before it was sent."""
        poll = self._polls.get(name)
        if poll is not None:
            await asyncio.wait({poll}, timeout=max(0, deadline - time.monotonic()))
            return shared(poll.result() if poll.done() else None)
        poll, answers = asyncio.get_running_loop().create_future(), None
        self._polls[name] = poll
        try:
            try:
                await asyncio.sleep(pause)
            finally:
                del self._polls[name]
            answers = await self._drive(self._ask([name], None), None)
            return answers
        finally:
            poll.set_result(answers)

    async def _with_turn(self, load, names):
        turn = asyncio.ensure_future(self._turns.acquire())
        try:  # not asyncio.wait_for, which until Python 3.12 may lose that this task is cancelled
            had, _ = await asyncio.wait({turn}, timeout=self.query_wait)
        except asyncio.CancelledError:
            self._give_up(turn)
            raise
        if not had:
            self._give_up(turn)
            raise Overloaded(f"{self.queries_at_once} queries run already")
        try:
            return await load(names)
        finally:
            self._turns.release()

    def _give_up(self, turn):
        turn.cancel()
        turn.add_done_callback(lambda done: done.cancelled() or self._turns.release())


class AsyncAnnouncement:
    """Rows that are about to be inserted, for `async with`. What Announcement does is awaited."""

    def __init__(self, guard: AsyncGuard, names: list, wait: int, wait_limit: float):
        self._guard, self._names, self._token, self._wait = guard, names, secrets.token_hex(16), checked_wait(wait, wait_limit)

    async def begin(self) -> "AsyncAnnouncement":
        """Announces, where there is no `async with`. Raises NotAnnounced: then do not insert."""
        steps = self._guard._announce_or_erase(self._names, self._token, *self._wait)
        task = self._guard._keep(asyncio.ensure_future(self._guard._drive(steps, None)))
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            self._guard._keep(asyncio.ensure_future(self._take_back(task)))
            raise
        return self

    async def _take_back(self, task: asyncio.Future) -> None:
        try:
            await task
            await self.release()
        except GuardError:
            pass  # it was not announced, or its marks end by themselves

    async def renew(self) -> bool:
        """As Announcement.renew."""
        return await self._guard._drive(self._guard._announce(self._names, self._token, *self._wait), None)

    async def release(self) -> None:
        """As Announcement.release."""
        await self._guard._drive(self._guard._erase(self._names, self._token), None)

    __aenter__ = begin

    async def __aexit__(self, *_: Any) -> None:
        await self.release()
