# SPDX-License-Identifier: Apache-2.0
"""What guards for threads and for tasks do alike: every step, as generators."""
from __future__ import annotations

import asyncio
import hashlib
import functools
import json
import pathlib
import random
import secrets
import threading
import time
from typing import Any, Callable, Iterable, Mapping, Optional, Union

import redis

Key = Union[str, bytes, int]
SCRIPT = (pathlib.Path(__file__).parent / "guard.lua").read_bytes()
SHA = hashlib.sha1(SCRIPT).hexdigest()
AWAY = (redis.RedisError, OSError, asyncio.TimeoutError)
_MOST_KEYS = 1000


class GuardError(Exception):
    """What a guard raises by itself. Errors of the loader are raised as they are."""


class Overloaded(GuardError):
    """No turn came among `queries_at_once` within `query_wait`."""


class WaitedTooLong(GuardError):
    """Another request loads the row, for longer than `wait_limit`."""


class NotAnnounced(GuardError):
    """The keys are not announced, or not any more: do not commit the rows."""


class NotErased(GuardError):
    """Old values may still be in the cache: erase again. What the database committed stays committed."""


class Json:
    """The codec of every language: JSON in UTF-8. None is no value; it means "no such row"."""

    @staticmethod
    def encode(value: Any) -> bytes:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()

    @staticmethod
    def decode(bytes_: bytes) -> Any:
        value = json.loads(bytes_)
        if value is None:
            raise ValueError("JSON's null is no value: no such row is an entry of its own")
        return value


class Bytes:
    """Values are bytes, as they are."""

    encode = staticmethod(bytes)
    decode = staticmethod(bytes)


def checked_fence(fence: Any) -> Optional[tuple]:
    """None: no fence. Half a fence or an empty one would be no fence on the server, so it is refused."""
    if fence is None:
        return None
    words = tuple(fence) if isinstance(fence, (tuple, list)) else ()
    if len(words) != 2 or not all(isinstance(word, (str, bytes, int)) and not isinstance(word, bool) and word not in ("", b"") for word in words):
        raise ValueError(f"fence is {fence!r}; allowed: None, or a source and a position, neither empty")
    return words


def checked_wait(wait: Any, wait_limit: Any) -> tuple:
    if not isinstance(wait, int) or isinstance(wait, bool) or not 0 <= wait <= 1000000:
        raise ValueError(f"wait is {wait!r}; allowed: a whole number of replicas, 1 to 1000000, or 0, which does not wait")
    if wait and (isinstance(wait_limit, bool) or not isinstance(wait_limit, (int, float)) or not 0.001 <= wait_limit <= 315360000):
        raise ValueError(f"wait_limit is {wait_limit!r}; allowed are 0.001 to 315360000 seconds")
    return wait, wait_limit


def key_bytes(key: Key) -> bytes:
    if isinstance(key, str):
        return key.encode()
    if isinstance(key, int) and not isinstance(key, bool):
        return b"%d" % key
    if isinstance(key, (bytes, bytearray, memoryview)):
        return bytes(key)
    raise TypeError(f"a key is a str, bytes or an int, not {type(key).__name__}")


class Steps:
    """What both guards do, as generators: each yields ("run", words), ("load", keys), ("sleep", seconds), ("poll", key, seconds,
    deadline) or ("refresh", key, lease and fence), and gets the result."""
    _may_block = False

    def __init__(self, redis: Any, name: str, *, filter: Optional[str] = None, family: str = "BLOOM", codec: Any = Json,
                 value_life: float = 600, negative_life: float = 60, jitter: float = 0.1, refresh_ahead: float = 0,
                 lease_life: float = 5, mark_life: float = 30, wait_limit: float = 10, queries_at_once: int = 32,
                 query_wait: float = 0.2, reads_replica: bool = False, near: Optional[Callable[[Key], bool]] = None,
                 near_is_final: bool = False, server_timeout: float = 1, failures_in_a_row: int = 5, failure_pause: float = 1,
                 commands: str = "", block: float = 0):
        """redis: a client of redis-py, also of a cluster.    name: the guard's, without braces; guards of one name share rows.
        filter, family: the key of a filter on that server, and BLOOM, BF, or these with a module's prefix.
        codec: has encode(value) -> bytes and decode.    Lives and waits are in seconds.
        jitter: each life is drawn from life * (1 ± this).    refresh_ahead: one reader loads anew in this last share of a life.
        lease_life: longer than the slowest query.    mark_life: longer than a transaction that inserts.
        commands: "GUARD" where the server has the commands of bloomery's module (a prefix before it), instead of the script.
        block: a reader that waits for another's load waits up to so long in the server, by these commands; for Guard alone.
        reads_replica: the loader does, so its "no such row" is not written.
        server_timeout: of one command of AsyncGuard; the client of Guard has its own socket_timeout.
        near: whether a filter in this process may have the key; it denies only if its set never changes (near_is_final)."""
        if "{" in name or "}" in name:
            raise ValueError("a guard's name has no braces")
        for what, life in (("value_life", value_life), ("negative_life", negative_life), ("lease_life", lease_life), ("mark_life", mark_life)):
            if not 0.001 <= life <= 315360000:
                raise ValueError(f"{what} is {life}; allowed are 0.001 to 315360000 seconds")
        if not 0 <= jitter < 1 or not 0 <= refresh_ahead < 1 or queries_at_once < 1:
            raise ValueError("jitter and refresh_ahead are from 0 to below 1, queries_at_once is at least 1")
        self.redis, self.name, self.filter, self.family, self.codec = redis, name, filter, family, codec
        self.value_life, self.negative_life, self.jitter, self.refresh_ahead = value_life, negative_life, jitter, refresh_ahead
        self.lease_life, self.mark_life, self.wait_limit = lease_life, mark_life, wait_limit
        self.queries_at_once, self.query_wait, self.reads_replica = queries_at_once, query_wait, reads_replica
        self.near, self.near_is_final, self.server_timeout = near, near_is_final, server_timeout
        self.failures_in_a_row, self.failure_pause = failures_in_a_row, failure_pause
        if block and (not commands or not 0.001 <= block <= 60):
            raise ValueError("block is from 0.001 to 60 seconds, and needs commands")
        self.commands, self.block = commands, block
        self._in_cluster = hasattr(redis, "nodes_manager")
        self._identity, self._next_open = b"", 0.0
        self._failures, self._paused_until = 0, 0.0
        self._lock = threading.Lock()
        self._counters: dict[str, int] = dict.fromkeys(
            "absents values none loads loaded waits opens unknowns late overloaded server_errors skips loader_errors refreshes".split(), 0)

    def counters(self) -> dict[str, int]:
        """A snapshot of what was counted since the guard was made, in keys; of loads, server_errors and loader_errors, in calls."""
        with self._lock:
            return dict(self._counters)

    def _count(self, what: str, by: int = 1) -> None:
        with self._lock:
            self._counters[what] += by

    def _words(self, verb: str, names: Iterable[bytes], arguments: Iterable[Any], filter: bool = False) -> tuple:
        keys = [each for name in names for each in (b"%s:{=%s}" % (self.name.encode(), name), b"%s:{=%s}:lease" % (self.name.encode(), name))]
        if filter:
            keys.append(self.filter)
        return (len(keys), *keys, verb, *arguments)

    def _sent(self, words: tuple, is_known: bool = True) -> tuple:
        """The words of a verb as a command: of the module, or of the script, by its sum where the server knows it."""
        if self.commands:
            at = 1 + words[0]
            return (f"{self.commands}.{words[at].upper()}", *words[:at], *words[at + 1:])
        return ("EVALSHA", SHA, *words) if is_known else ("EVAL", SCRIPT, *words)

    def _block_words(self, deadline: float) -> tuple:
        if not self._may_block:
            return ()
        return "BLOCK", max(1, round(1000 * min(self.block, deadline - time.monotonic())))

    def _batches(self, names: list, of_filter: bool = False) -> Iterable[list]:
        most = 1 if self._in_cluster and not of_filter else _MOST_KEYS
        return (names[at:at + most] for at in range(0, len(names), most))

    def _open(self):
        """Reads the filter's identity, which goes with each question from then on."""
        markers = self.filter if "{" in self.filter else "{" + self.filter + "}"
        keys = [self.filter] if self.family.endswith("BLOOM") else [self.filter, markers + ":markers"]
        self._identity = yield "run", (len(keys), *keys, "open", self.family)

    def _open_once(self):
        if not self.filter or self._identity or time.monotonic() < self._next_open:
            return
        self._next_open = time.monotonic() + 1
        try:
            yield from self._open()
        except AWAY:
            self._count("server_errors")

    def _ask(self, names: list, fence, deadline: float = 0):
        """The server's answers, in order. Where it cannot be asked, each is to be loaded, and not written."""
        if time.monotonic() < self._paused_until:
            self._count("skips", len(names))
            return [(b"open", b"unknown")] * len(names)
        source, position = fence or ("", "")
        answers: dict = {}
        try:
            yield from self._open_once()
            asked = bool(self.filter) and not (self.near and not fence and all(self.near(name) for name in names))
            denied = set()
            if asked and self._in_cluster:
                for batch in self._batches(names, of_filter=True):
                    said = yield "run", (1, self.filter, "ask", self.family, self._identity, source, position, *batch)
                    denied.update(name for name, presence in zip(batch, said) if presence == b"absent")
            answers.update((name, (b"absent",)) for name in denied)
            for batch in self._batches([name for name in names if name not in denied]):
                together = asked and not self._in_cluster
                words = (self.family if together else "", self._identity if together else "", source, position, secrets.token_hex(16),
                         round(self.lease_life * 1000), *batch, *self._block_words(deadline))
                said = yield "run", self._words("get", batch, words, filter=together)
                answers.update(zip(batch, said))
            self._failures = 0
            return [answers[name] for name in names]
        except AWAY:
            self._count("server_errors")
            yield from self._drop({name: answer[-1] for name, answer in answers.items() if is_leased(answer)})
            self._failures += 1
            if self._failures >= self.failures_in_a_row:
                self._paused_until = time.monotonic() + self.failure_pause
            return [(b"open", b"unknown")] * len(names)

    def _rows(self, names: list, fence, wait_limit):
        """The row of each key, None where there is none."""
        fence = checked_fence(fence)
        rows: dict = {}
        if self.near and self.near_is_final:
            rows = {name: None for name in names if not self.near(name)}
            self._count("absents", len(rows))
        waiting = [name for name in dict.fromkeys(names) if name not in rows]
        deadline = time.monotonic() + (self.wait_limit if wait_limit is None else wait_limit)
        pause, unreadable, polled = 0.001, set(), None
        while waiting:
            answers = polled or (yield from self._ask(waiting, fence, deadline))
            polled = None
            leases, opens, again = {}, [], []
            for name, (answer, *rest) in zip(waiting, answers):
                if rest and rest[0] == b"unknown":
                    self._count("unknowns")
                if answer == b"value":
                    try:
                        rows[name] = self.codec.decode(rest[1])
                        self._count("values")
                    except Exception:  # other bytes than this codec's
                        (opens if name in unreadable else again).append(name)
                        unreadable.add(name)
                        if len(rest) > 2:
                            yield from self._drop({name: rest[2]})
                        yield from self._erase_unreadable(name)
                        continue
                    if len(rest) > 2:
                        self._count("refreshes")
                        yield "refresh", (name, rest[2], fence)
                elif answer in (b"absent", b"none"):
                    rows[name] = None
                    self._count("absents" if answer == b"absent" else "none")
                elif answer == b"lease":
                    leases[name] = rest[1]
                elif answer == b"wait":
                    self._count("waits")
                    again.append(name)
                else:
                    self._count("opens")
                    opens.append(name)
            if leases or opens:
                rows.update((yield from self._load(leases, opens, fence)))
            waiting = again
            if waiting and not leases:
                if time.monotonic() >= deadline:
                    raise WaitedTooLong(f"another loads {waiting[0]!r}")
                drawn, pause = pause * random.uniform(0.8, 1), min(pause * 1.5, 0.012)
                if len(waiting) == 1 and not fence:
                    polled = yield "poll", waiting[0], drawn, deadline
                else:
                    yield "sleep", drawn
        return rows

    def _erase_unreadable(self, name: bytes):
        try:
            yield from self._erase([name], "")
        except NotErased:
            pass

    def _load(self, leases: dict, opens: list, fence):
        """Asks the loader, writes what was leased, and returns the rows."""
        names = [*leases, *opens]
        try:
            self._count("loads")
            rows = yield "load", names
            self._count("loaded", len(names))
            puts = [(name, held, None if rows[name] is None else self.codec.encode(rows[name])) for name, held in leases.items()]
        except BaseException as error:
            self._count("overloaded" if isinstance(error, Overloaded) else "loader_errors")
            yield from self._drop(leases)
            raise
        unwritten = {name: held for name, held, value in puts if value is None and (fence or self.reads_replica)}
        yield from self._drop(unwritten)
        puts = [each for each in puts if each[0] not in unwritten]
        for batch in self._batches(puts):
            words = [word for _, held, value in batch for word in (held, *self._life_words(value), value or b"")]
            try:
                done = yield "run", self._words("put", [name for name, _, _ in batch], words)
                self._count("late", sum(each == 0 for each in done))
                self._count("server_errors", sum(isinstance(each, bytes) for each in done))
            except AWAY:
                self._count("server_errors")
        return rows

    def _life_words(self, value: Optional[bytes]) -> tuple:
        life = self.negative_life if value is None else self.value_life
        life = min(max(1, round(life * 1000 * random.uniform(1 - self.jitter, 1 + self.jitter))), 315360000000)
        after = max(1, round(life * (1 - self.refresh_ahead))) if self.refresh_ahead and value is not None else 0
        return "N" if value is None else "V", life, after

    def _refresh(self, name: bytes, held: bytes, fence):
        """Loads a row anew, under a lease that came with its old value. Errors are counted, no more."""
        try:
            yield from self._load({name: held}, [], fence)
        except Exception:
            pass

    def _drop(self, leases: Mapping):
        for batch in self._batches(list(leases.items())):
            try:
                yield "run", self._words("drop", [name for name, _ in batch], [held for _, held in batch])
            except AWAY:
                self._count("server_errors")

    def _announce(self, names: list, token: str, wait: int, wait_limit: float):
        """Whether the marks of all were there before."""
        held = True
        if wait and self._in_cluster:
            raise ValueError("wait= is not for a cluster")
        try:
            if self.filter and self._in_cluster:
                for batch in self._batches(names, of_filter=True):
                    yield "run", (1, self.filter, "insert", self.family, *batch)
            for batch in self._batches(names):
                together = bool(self.filter) and not self._in_cluster
                words = (self.family if together else "", "", "", "", token, round(self.mark_life * 1000), *batch)
                answer = yield "run", self._words("announce", batch, words, filter=together), wait, wait_limit
                held = held and all(answer[1:])
        except AWAY as error:
            raise NotAnnounced(f"not announced, do not commit the rows: {error}") from error
        return held

    def _announce_or_erase(self, names: list, token: str, wait: int, wait_limit: float):
        try:
            yield from self._announce(names, token, wait, wait_limit)
        except NotAnnounced:
            try:
                yield from self._erase(names, token)
            except NotErased:
                pass  # its marks end by themselves
            raise

    def _erase(self, names: list, token: str):
        try:
            for batch in self._batches(names):
                yield "run", self._words("erase", batch, [token])
        except AWAY as error:
            raise NotErased(f"not erased, erase again: {error}") from error


def is_leased(answer: Any) -> bool:
    """Whether an answer of `get` has a lease, as its last word."""
    return answer[0] == b"lease" or (answer[0] == b"value" and len(answer) > 3)


def shared(answers):
    """What a poll's answer is to those who did not send it: a lease is its sender's."""
    if not answers or answers[0][0] == b"lease":
        return [(b"wait", b"none")]
    return [answers[0][:3]]


def by_key(keys: Iterable[Key]) -> dict[bytes, Key]:
    return {key_bytes(key): key for key in keys}


def enough(wait: int, answer, replicas):
    """The answer of a verb, if WAIT behind it reached so many. redis-py would put the whole command into a refusal's words."""
    for each in (answer, replicas):
        if isinstance(each, Exception):
            raise each
    if int(replicas) < wait:
        raise redis.RedisError(f"{replicas} replicas have it, not {wait}")
    return answer


def load_many(by_name: dict, load: Callable, names: list) -> dict:
    found = load([by_name[name] for name in names])
    return {name: found.get(by_name[name]) for name in names}


def cached(guard, key, load):
    @functools.wraps(load)
    def ask(*words, **named):
        return guard.get(key(*words, **named), lambda _: load(*words, **named))
    ask.erase = lambda *words, **named: guard.erase(key(*words, **named))
    ask.announce = lambda *words, wait=0, wait_limit=1, **named: guard.announce(key(*words, **named), wait=wait, wait_limit=wait_limit)
    return ask
