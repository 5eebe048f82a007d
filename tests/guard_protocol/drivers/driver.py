# SPDX-License-Identifier: Apache-2.0
"""One actor of the scenes, over the guard for Python: JSON a line on standard input, and its answers on standard output. With
the word `tasks`, over AsyncGuard."""
import asyncio
import json
import pathlib
import sys

import redis
import redis.asyncio

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bindings/python/pybloomery"))
import guard as guards  # noqa: E402


class LoaderError(Exception):
    pass


def say(**words):
    print(json.dumps(words), flush=True)


def hear():
    line = sys.stdin.readline()
    if not line:
        raise SystemExit
    return json.loads(line)


def rows_of(said):
    if "rows" not in said:
        raise LoaderError
    return said["rows"]


class Threads:
    """What the scenes want, by Guard."""
    guard = guards.Guard
    client, more = redis.Redis, {}

    def load(self, keys):
        say(load=keys)
        return rows_of(hear())

    def one(self, key):
        return self.load([key])[0]

    def many(self, keys):
        return {key: row for key, row in zip(keys, self.load(keys)) if row is not None}

    async def command(self):
        return hear()

    async def announce(self, guard, keys, wait, limit):
        return guard.announce(*keys, wait=wait, wait_limit=limit)

    async def done(self, result):
        return result


class Tasks:
    """The same by AsyncGuard, whose loader may run beside the next command."""
    guard = guards.AsyncGuard
    client, more = redis.asyncio.Redis, {"server_timeout": 10}

    def __init__(self):
        self.commands, self.rows = asyncio.Queue(), asyncio.Queue()
        self.pumping = asyncio.ensure_future(self.pump())

    async def pump(self):
        while line := await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
            said = json.loads(line)
            (self.commands if "do" in said else self.rows).put_nowait(said)
        self.commands.put_nowait(None)

    async def load(self, keys):
        say(load=keys)
        return rows_of(await self.rows.get())

    async def one(self, key):
        return (await self.load([key]))[0]

    async def many(self, keys):
        return {key: row for key, row in zip(keys, await self.load(keys)) if row is not None}

    async def command(self):
        said = await self.commands.get()
        if said is None:
            raise SystemExit
        return said

    async def announce(self, guard, keys, wait, limit):
        return await guard.announce(*keys, wait=wait, wait_limit=limit).begin()

    async def done(self, result):
        return await result


async def act(kind):
    by, guard, marks = kind(), None, {}
    while True:
        said = await by.command()
        do = said["do"]
        try:
            if do == "open":
                guard, marks = by.guard(by.client(port=said["port"], socket_timeout=10), said["name"], **{**said["options"], **by.more}), {}
                say(did=do)
            elif do == "get":
                say(rows=[await by.done(guard.get(said["keys"][0], by.one))])
            elif do == "get_many":
                rows = await by.done(guard.get_many(said["keys"], by.many))
                say(rows=[rows[key] for key in said["keys"]])
            elif do == "announce":
                marks[said["as"]] = await by.announce(guard, said["keys"], said.get("wait", 0), said.get("limit", 1000) / 1000)
                say(did=do)
            elif do == "renew":
                say(held=await by.done(marks[said["as"]].renew()))
            else:
                await by.done({"release": lambda: marks[said["as"]].release(), "erase": lambda: guard.erase(*said["keys"]),
                               "reopen": lambda: guard.open()}[do]())
                say(did=do)
        except (guards.GuardError, LoaderError, redis.RedisError) as error:
            say(error=type(error).__name__)


asyncio.run(act(Tasks if len(sys.argv) > 1 else Threads))
