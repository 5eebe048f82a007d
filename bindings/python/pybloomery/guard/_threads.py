# SPDX-License-Identifier: Apache-2.0
"""The guard for threads."""
from __future__ import annotations

import functools
import os
import secrets
import threading
import time
import warnings
import weakref
from typing import Any, Callable, Iterable, Mapping, Optional

import redis
from redis.client import NEVER_DECODE

from ._steps import Key, Overloaded, Steps, by_key, cached, checked_wait, enough, key_bytes, load_many, shared


_guards: weakref.WeakSet = weakref.WeakSet()


def _begin_all_anew() -> None:
    for guard in list(_guards):
        guard._begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_all_anew)


class _Poll:
    def __init__(self):
        self.done, self.answers = threading.Event(), None


class Guard(Steps):
    """For threads. refresh_in: an executor in which refresh_ahead loads; without one, the reader that has to refresh loads first."""

    def __init__(self, redis: Any, name: str, *, refresh_in: Any = None, **options: Any):
        super().__init__(redis, name, **options)
        kwargs = getattr(getattr(redis, "connection_pool", None), "connection_kwargs", {"socket_timeout": 0})
        if kwargs.get("socket_timeout") is None:
            warnings.warn("without socket_timeout a server that does not answer holds its callers for ever", RuntimeWarning, stacklevel=2)
        if self.block and self.block >= (kwargs.get("socket_timeout") or float("inf")):
            raise ValueError("block must be shorter than the client's socket_timeout")
        self._refresh_in = refresh_in
        self._begin_anew()
        _guards.add(self)
        self._may_block = bool(self.block)

    def _begin_anew(self) -> None:
        """Also in a process that was forked: nobody is left there who would end what the parent's threads do."""
        self._lock, self._turns = threading.Lock(), threading.BoundedSemaphore(self.queries_at_once)
        self._polls: dict = {}
        self._counters = dict.fromkeys(self._counters, 0)

    def get(self, key: Key, load: Callable[[Key], Any], *, fence: Optional[tuple] = None, wait_limit: Optional[float] = None) -> Any:
        """The row of the key, from the cache or by load(key), which returns None where there is no such row."""
        name = key_bytes(key)
        return self._drive(self._rows([name], fence, wait_limit), lambda _: {name: load(key)})[name]

    def get_many(self, keys: Iterable[Key], load: Callable[[list], Mapping], *, fence: Optional[tuple] = None,
                 wait_limit: Optional[float] = None) -> dict:
        """A dict of the rows, in the order of the keys. load gets a list of keys, and returns a mapping of those that have rows."""
        keys = list(keys)
        by_name = by_key(keys)
        rows = self._drive(self._rows([key_bytes(key) for key in keys], fence, wait_limit), functools.partial(load_many, by_name, load))
        return {key: rows[key_bytes(key)] for key in keys}

    def open(self) -> None:
        """Reads the filter's identity, also anew after a rebuild: whoever calls vouches that the filter is whole. The first
        question does it by itself."""
        self._drive(self._open(), None)

    def announce(self, *keys: Key, wait: int = 0, wait_limit: float = 1) -> "Announcement":
        """Announces rows before they are inserted, for `with`; its end, after the commit or roll-back, erases the keys. With
        `wait`, so many replicas have it within wait_limit seconds. Raises NotAnnounced: then do not insert."""
        return Announcement(self, list(by_key(keys)), wait, wait_limit)

    def erase(self, *keys: Key) -> None:
        """After the commit of changes and deletions. Raises NotErased: then call again."""
        self._drive(self._erase(list(by_key(keys)), ""), None)

    def cached(self, key: Callable[..., Key]) -> Callable:
        """A decorator of a function that loads one row: key(...) of its arguments is the row's key. The function then has
        erase(...) and announce(...), which take the same arguments, announce also `wait` and `wait_limit`."""
        return functools.partial(cached, self, key)

    def _drive(self, steps, load):
        result, error = None, None
        while True:
            try:
                what, *words = steps.throw(error) if error else steps.send(result)
            except StopIteration as stop:
                return stop.value
            result, error = None, None
            try:
                if what == "run":
                    result = self._run(*words)
                elif what == "load":
                    result = self._with_turn(load, *words)
                elif what == "sleep":
                    time.sleep(*words)
                elif what == "poll":
                    result = self._poll(*words)
                else:
                    self._refresh_or_submit(words[0], load)
            except BaseException as failed:
                error = failed

    def _refresh_or_submit(self, lease: tuple, load) -> None:
        try:
            if self._refresh_in:
                self._refresh_in.submit(self._drive, self._refresh(*lease), load)
                return
        except RuntimeError:  # the executor takes no more
            pass
        self._drive(self._refresh(*lease), load)

    def _run(self, words: tuple, wait: int = 0, wait_limit: float = 0):
        options = {NEVER_DECODE: True}
        if wait:
            with self.redis.pipeline(transaction=False) as both:
                both.execute_command(*self._sent(words, is_known=False), **options)
                both.execute_command("WAIT", wait, round(wait_limit * 1000))
                return enough(wait, *both.execute(raise_on_error=False))
        try:
            return self.redis.execute_command(*self._sent(words), **options)
        except (redis.exceptions.NoScriptError, redis.ConnectionError):  # every verb may come twice
            return self.redis.execute_command(*self._sent(words, is_known=False), **options)

    def _poll(self, name, pause, deadline):
        """The server's answer about the key, after a pause: one question for all threads that came before it was sent."""
        with self._lock:
            poll = self._polls.get(name)
            joins = poll is not None
            if not joins:
                poll = self._polls[name] = _Poll()
        if joins:
            poll.done.wait(max(0, deadline - time.monotonic()))
            return shared(poll.answers)
        try:
            try:
                time.sleep(pause)
            finally:
                with self._lock:
                    del self._polls[name]
            poll.answers = self._drive(self._ask([name], None, deadline), None)
            return poll.answers
        finally:
            poll.done.set()

    def _with_turn(self, load, names):
        turns = self._turns  # those of this process, also if the loader forks
        if not turns.acquire(timeout=self.query_wait):
            raise Overloaded(f"{self.queries_at_once} queries run already")
        try:
            return load(names)
        finally:
            turns.release()


class Announcement:
    """Rows that are about to be inserted. The end of `with` is release()."""

    def __init__(self, guard: Guard, names: list, wait: int, wait_limit: float):
        self._guard, self._names, self._token, self._wait = guard, names, secrets.token_hex(16), checked_wait(wait, wait_limit)
        guard._drive(guard._announce_or_erase(self._names, self._token, *self._wait), None)

    def renew(self) -> bool:
        """Just before a commit that comes late: the marks hold anew. Whether they had held all the while. Raises NotAnnounced:
        then roll back."""
        return self._guard._drive(self._guard._announce(self._names, self._token, *self._wait), None)

    def release(self) -> None:
        """After the commit or roll-back. Raises NotErased: then call again."""
        self._guard._drive(self._guard._erase(self._names, self._token), None)

    def __enter__(self) -> "Announcement":
        return self

    def __exit__(self, *_: Any) -> None:
        self.release()
