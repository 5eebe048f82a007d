# SPDX-License-Identifier: Apache-2.0
"""What the guard for Python has beyond the scenes: threads and tasks, caps, cancelling, decorators, filters in the process."""
import asyncio
import concurrent.futures
import os
import pathlib
import signal
import sqlite3
import sys
import threading
import unittest

import redis
import redis.asyncio

from server import OnServer, Server, entry, lease, wait_until

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python/pybloomery"))
import guard as guards  # noqa: E402
from guard import _threads as threads_module  # noqa: E402


class Clients(OnServer, unittest.TestCase):
    def setUp(self):
        self.redis.flushall()

    def test_many_threads_miss_one_key_and_one_loads(self):
        guard = guards.Guard(redis.Redis(port=self.server.port, max_connections=64, socket_timeout=30), "n")
        loads, go, begun = [], threading.Event(), threading.Event()

        def load(key):
            loads.append(key)
            begun.set()
            go.wait(30)
            return "row"
        with concurrent.futures.ThreadPoolExecutor(32) as threads:
            answers = [threads.submit(guard.get, "a", load) for _ in range(32)]
            begun.wait(30)
            wait_until(lambda: guard.counters()["waits"] >= 31)
            go.set()
            self.assertEqual({"row"}, {each.result() for each in answers})
        self.assertEqual(["a"], loads)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_a_forked_process_waits_for_no_thread_of_its_parent(self):
        guard = guards.Guard(redis.Redis(port=self.server.port, socket_timeout=30), "n", wait_limit=600)
        with guard._lock:  # another thread may be anywhere at the fork
            guard._polls[b"a"], guard._counters["loads"] = threads_module._Poll(), 7
            guard._turns.acquire()
            self.redis.set(lease("a"), "L" + "a" * 48, px=60000)
            reads, writes = os.pipe()
            child = os.fork()
            if not child:
                try:
                    signal.alarm(20)
                    self.redis.set(entry("a"), "V00000000000001")
                    said = [guard.get("a", None), guard.counters()["loads"], guard._turns._value]
                    os.write(writes, repr(said).encode())
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
        os.close(writes)
        with os.fdopen(reads, "rb") as said:
            self.assertEqual(b"[1, 0, 32]", said.read())

    def test_a_refusal_has_neither_the_script_nor_the_token_in_its_words(self):
        guard = guards.Guard(self.redis, "n", filter="f", family="NONE")
        for more in ({}, {"wait": 1}):
            with self.assertRaises(guards.NotAnnounced) as refused:
                guard.announce("a", **more)
            self.assertNotIn("local", str(refused.exception))
            self.assertLess(len(str(refused.exception)), 400)

    def test_an_executor_that_takes_no_more_is_done_without(self):
        threads = concurrent.futures.ThreadPoolExecutor(1)
        threads.shutdown()
        guard = guards.Guard(self.redis, "n", refresh_ahead=0.1, refresh_in=threads)
        self.redis.set(entry("a"), 'V0000000000001"old"')
        self.assertEqual("old", guard.get("a", lambda _: "new"))
        self.assertEqual("new", guard.get("a", None))
        self.assertFalse(self.redis.exists(lease("a")))

    def test_what_a_first_call_leased_is_given_back_where_the_second_fails(self):
        guard, calls = guards.Guard(self.redis, "n"), []
        run = guard._run

        def fails_once(words, *more):
            calls.append(words[1 + words[0]])
            if calls == ["get", "get"]:
                raise redis.ConnectionError
            return run(words, *more)
        guard._run = fails_once
        self.redis.set(entry("0"), 'V0000000000001"old"')
        keys = [str(i) for i in range(1001)]
        self.assertEqual(dict.fromkeys(keys, 1), guard.get_many(keys, lambda asked: dict.fromkeys(asked, 1)))
        self.assertEqual(["get", "get", "drop"], calls)
        self.assertEqual([entry("0")], self.redis.keys())

    def test_a_client_that_decodes_answers_gives_bytes_all_the_same(self):
        guard = guards.Guard(redis.Redis(port=self.server.port, decode_responses=True, socket_timeout=30), "n", codec=guards.Bytes)
        self.assertEqual(b"\xff\0", guard.get("a", lambda _: b"\xff\0"))
        self.assertEqual(b"\xff\0", guard.get("a", None))
        with guard.announce("b", wait=0):
            self.assertEqual(b"O", self.redis.get(lease("b"))[:1])

    def test_keys_are_texts_bytes_and_numbers(self):
        guard = guards.Guard(self.redis, "n")
        self.assertEqual({7: "7", "7": "7", b"7": "7"}, guard.get_many([7, "7", b"7"], lambda keys: {key: "7" for key in keys}))
        self.assertTrue(self.redis.exists(entry("7")))
        for wrong in (None, 1.5, True, ["a"]):
            with self.assertRaises(TypeError):
                guard.get(wrong, None)

    def test_what_is_no_setting_is_refused(self):
        for name, options in (("a{b", {}), ("n", {"value_life": 0}), ("n", {"jitter": 1}), ("n", {"queries_at_once": 0}), ("n", {"lease_life": -1})):
            with self.assertRaises(ValueError):
                guards.Guard(self.redis, name, **options)

    def test_a_block_that_outlasts_the_clients_patience_is_refused(self):
        for options in ({"block": 1}, {"block": 61, "commands": "GUARD"}, {"block": 30, "commands": "GUARD"}):
            with self.subTest(**options), self.assertRaisesRegex(ValueError, "block"):
                guards.Guard(redis.Redis(socket_timeout=30), "n", **options)
        guards.Guard(redis.Redis(socket_timeout=30), "n", block=5, commands="GUARD")

    def test_a_value_that_is_no_json_is_raised_and_keeps_nobody_waiting(self):
        guard = guards.Guard(self.redis, "n")
        for value in (object(), float("nan")):
            with self.assertRaises((TypeError, ValueError)):
                guard.get("a", lambda _: value)
            self.assertEqual([], self.redis.keys())

    def test_no_turn_among_the_queries(self):
        guard = guards.Guard(self.redis, "n", queries_at_once=1, query_wait=0.01)

        def nested(_):
            with self.assertRaises(guards.Overloaded):
                guard.get("b", lambda _: 1)
            return "a"
        self.assertEqual("a", guard.get("a", nested))
        self.assertFalse(self.redis.exists(lease("b")))
        self.assertEqual(1, guard.counters()["overloaded"])

    def test_cached(self):
        guard, loads = guards.Guard(self.redis, "n"), []

        @guard.cached(key=lambda tenant, user: f"{tenant}:{user}")
        def load_user(tenant, user):
            """Loads."""
            loads.append(user)
            return {"user": user}
        self.assertEqual([{"user": "a"}] * 2, [load_user(1, "a"), load_user(1, user="a")])
        self.assertEqual(["a"], loads)
        load_user.erase(1, "a")
        load_user(1, "a")
        self.assertEqual(["a", "a"], loads)
        with load_user.announce(1, "b"):
            self.assertTrue(self.redis.exists(lease("1:b")))
        with load_user.announce(tenant=1, user="b", wait=0, wait_limit=5):
            self.assertTrue(self.redis.exists(lease("1:b")))
        with self.assertRaisesRegex(guards.NotAnnounced, "0 replicas have it, not 1"), load_user.announce(1, "b", wait=1, wait_limit=0.01):
            self.fail("announced")
        with self.assertRaisesRegex(ValueError, "wait is -1"):
            load_user.announce(1, "b", wait=-1)
        self.assertFalse(self.redis.exists(lease("1:b")))
        self.assertEqual("Loads.", load_user.__doc__)

    def test_an_exception_in_the_transaction_ends_the_mark(self):
        guard = guards.Guard(self.redis, "n")
        with self.assertRaises(ZeroDivisionError), guard.announce("a"):
            1 / 0
        self.assertFalse(self.redis.exists(lease("a")))

    def test_a_filter_in_the_process(self):
        has, asked = {b"alice"}, []

        def near(key):
            asked.append(key)
            return key in has
        final = guards.Guard(self.redis, "n", near=near, near_is_final=True)
        self.assertIsNone(final.get("bob", None))
        self.assertEqual(1, final.get("alice", lambda _: 1))
        other = guards.Guard(self.redis, "n", near=near)
        self.assertEqual(2, other.get("bob", lambda _: 2), "it does not know what others announced")

    def test_a_near_filter_leads_to_that_on_the_server(self):
        if not self.server.has_module():
            self.skipTest("no module")
        self.redis.execute_command("BLOOM.RESERVE", "f", 0.0001, 100)
        guard = guards.Guard(self.redis, "n", filter="f", near=lambda _: False)
        self.assertIsNone(guard.get("bob", None))
        guard = guards.Guard(self.redis, "n", filter="f", near=lambda _: True)
        self.assertEqual(2, guard.get("bob", lambda _: 2), "the filter on the server need not be asked")

    def test_behind_a_fence_nothing_negative_is_taken_or_written(self):
        guard = guards.Guard(self.redis, "n")
        fence = ("ab" * 16, "7")
        self.assertIsNone(guard.get("a", lambda _: None, fence=fence))
        self.assertEqual([], self.redis.keys())
        self.assertIsNone(guard.get("a", lambda _: None))
        self.assertEqual(1, guard.get("a", lambda _: 1, fence=fence))

    def test_behind_a_fence_nothing_negative_is_written_ahead(self):
        guard = guards.Guard(self.redis, "n", refresh_ahead=0.1)
        self.redis.set(entry("a"), 'V0000000000001"old"')
        self.assertEqual("old", guard.get("a", lambda _: None, fence=("ab" * 16, "7")))
        self.assertEqual([entry("a")], self.redis.keys())
        self.assertEqual("old", guard.get("a", lambda _: None))
        self.assertEqual(b"N", self.redis.get(entry("a")))

    def test_half_a_fence_or_an_empty_one_is_refused(self):
        for guard in (guards.Guard(self.redis, "n"), guards.Guard(self.redis, "n", near=lambda _: False, near_is_final=True)):
            for fence in (("", ""), (), [], ("ab" * 16, ""), ("", "7"), ("ab" * 16,), "ab", 0, False, ("ab" * 16, None)):
                with self.subTest(fence=fence), self.assertRaisesRegex(ValueError, "fence is "):
                    guard.get("a", lambda _: 1, fence=fence)
        self.assertEqual([], self.redis.keys())

    def test_what_is_no_number_of_replicas_or_no_limit_is_refused_before_it_is_announced(self):
        for guard in (guards.Guard(self.redis, "n"), guards.AsyncGuard(self.redis, "n")):
            for wait, limit in ((-1, 1), (1.5, 1), ("1", 1), (True, 1), (None, 1), (1, 0), (1, 0.0004), (1, float("nan")), (1, "1")):
                with self.subTest(wait=wait, limit=limit), self.assertRaisesRegex(ValueError, "wait"):
                    guard.announce("a", wait=wait, wait_limit=limit)
        self.assertEqual([], self.redis.keys())

    def test_too_few_replicas(self):
        guard = guards.Guard(self.redis, "n")
        with self.assertRaises(guards.NotAnnounced):
            guard.announce("a", wait=1, wait_limit=0.01)
        self.assertFalse(self.redis.exists(lease("a")))
        in_cluster = redis.Redis(port=1)
        in_cluster.nodes_manager = None
        with self.assertRaises(ValueError):
            guards.Guard(in_cluster, "n").announce("a", wait=1)

    def test_a_server_that_is_away_is_left_alone_for_a_while(self):
        guard = guards.Guard(redis.Redis(port=1, socket_timeout=1), "n", failures_in_a_row=2, failure_pause=60)
        self.assertEqual([0, 1, 2, 3], [guard.get("a", lambda _: i) for i in range(4)])
        self.assertEqual((2, 2), (guard.counters()["skips"], guard.counters()["server_errors"]))
        with self.assertRaises(guards.NotErased):
            guard.erase("a")

    def test_a_server_that_does_not_answer(self):
        with Server(module=False) as server:
            with self.assertWarns(RuntimeWarning):
                guards.Guard(redis.Redis(port=server.port), "n")
            guard = guards.Guard(redis.Redis(port=server.port, socket_timeout=0.05), "n")
            self.assertEqual(1, guard.get("a", lambda _: 1))
            server.process.send_signal(signal.SIGSTOP)
            self.assertEqual(2, guard.get("a", lambda _: 2))
            with self.assertRaises(guards.NotAnnounced):
                guard.announce("b")
            server.process.send_signal(signal.SIGCONT)
            wait_until(lambda: guard.get("a", lambda _: 3) == 1)

    def test_more_keys_than_one_call_takes(self):
        guard = guards.Guard(self.redis, "n")
        keys = [str(i) for i in range(2500)]
        self.assertEqual({key: key for key in keys}, guard.get_many(keys, lambda asked: {key: key for key in asked}))
        self.assertEqual({key: key for key in keys}, guard.get_many(keys, None))
        with guard.announce(*keys):
            self.assertEqual(5000, self.redis.dbsize())
        self.assertEqual(0, self.redis.dbsize())

    def test_the_page(self):
        if not self.server.has_module():
            self.skipTest("no module")
        self.redis.execute_command("BLOOM.RESERVE", "users:filter", 0.0001, 100)
        self.redis.execute_command("BLOOM.ADD", "users:filter", "alice")
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs/python.md").read_text()
        blocks = [each.split("```")[0] for each in page.split("```py\n")[1:]]
        self.assertEqual(2, len(blocks))

        class Database(dict):
            find = dict.get
            insert = update = dict.__setitem__

            def commit(self):
                pass

            def find_many(self, keys):
                return {key: self[key] for key in keys if key in self}
        printed, names = [], {"database": Database(alice="Alice"), "print": lambda words: printed.append(words)}
        source = "\n".join(blocks).replace("redis.Redis(", f"redis.Redis(port={self.server.port}, ").replace("pybloomery.guard", "guard")
        exec(source, names)
        self.assertEqual(["Bob B.", {"alice": "Alice A.", "carol": None, "bob": "Bob B."}, 2], printed)

    def test_the_first_steps(self):
        if not self.server.has_module():
            self.skipTest("no module")
        for name in ("first_steps.md", "first_steps.zh-CN.md"):
            self.redis.flushall()
            self.redis.execute_command("BLOOM.RESERVE", "users:filter", 0.0001, 100)
            self.redis.execute_command("BLOOM.ADD", "users:filter", "7")
            page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / name).read_text()
            (block,) = [each.split("```")[0] for each in page.split("```py\n")[1:]]
            shop = sqlite3.connect(":memory:")
            shop.execute("CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT)")
            shop.execute("INSERT INTO users VALUES (7, 'user 7')")
            asked, printed = [], []
            shop.set_trace_callback(lambda statement: asked.append(statement) if statement.startswith("SELECT") else None)
            source = block.replace("redis.Redis(", f"redis.Redis(port={self.server.port}, ").replace("pybloomery.guard", "guard")
            exec(source.replace('sqlite3.connect("shop.db")', "shop"), {"shop": shop, "print": lambda *words: printed.append(words)})
            self.assertEqual([("user 7", None), ("ann",)], printed)
            self.assertEqual(2, len(asked))  # of 7, and of 7777 once it was announced

    def test_a_cluster(self):
        with Server("--cluster-enabled", "yes") as server:
            server.redis.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            wait_until(lambda: "cluster_state:ok" in str(server.redis.execute_command("CLUSTER", "INFO")))
            options = {}
            if server.has_module():
                server.redis.execute_command("BLOOM.RESERVE", "f", 0.0001, 100)
                server.redis.execute_command("BLOOM.ADD", "f", "alice")
                options = {"filter": "f"}
            cluster = redis.RedisCluster(host="127.0.0.1", port=server.port)
            guard = guards.Guard(cluster, "n", **options)
            self.assertEqual({"alice": 1, "bob": None}, guard.get_many(["alice", "bob"], lambda keys: {"alice": 1}))
            with guard.announce("bob", "carol"):
                self.assertEqual({"alice": 1, "bob": 2, "carol": 3}, guard.get_many(["alice", "bob", "carol"], lambda keys: {"bob": 2, "carol": 3}))
            guard.erase("alice")
            self.assertEqual(4, guard.get("alice", lambda _: 4))
            cluster.close()


class Tasks(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.server = Server(module=False)
        self.client = redis.asyncio.Redis(port=self.server.port)
        self.guard = guards.AsyncGuard(self.client, "n", server_timeout=30)

    async def asyncTearDown(self):
        await self.client.close()
        self.server.stop()

    async def until(self, holds):
        for _ in range(3000):
            if holds():
                return
            await asyncio.sleep(0.005)
        self.fail("it does not come")

    async def test_many_tasks_miss_one_key_and_one_loads(self):
        loads, go = [], asyncio.Event()

        async def load(key):
            loads.append(key)
            await go.wait()
            return "row"
        tasks = [asyncio.ensure_future(self.guard.get("a", load)) for _ in range(64)]
        await self.until(lambda: self.guard.counters()["waits"] >= 63)
        go.set()
        self.assertEqual(["row"] * 64, await asyncio.gather(*tasks))
        self.assertEqual(["a"], loads)

    async def test_a_task_that_is_cancelled_while_it_loads_gives_its_lease_back(self):
        begun = asyncio.Event()

        async def load(_):
            begun.set()
            await asyncio.sleep(60)
        task = asyncio.ensure_future(self.guard.get("a", load))
        await begun.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual([], self.server.redis.keys())

    async def test_a_task_that_is_cancelled_while_it_asks_gives_its_lease_back(self):
        await self.guard.get("warm", lambda key: asyncio.sleep(0, 1))
        for turns in range(1, 40):
            task = asyncio.ensure_future(self.guard.get(f"a{turns}", lambda key: asyncio.sleep(60)))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
        await self.until(lambda: not self.server.redis.keys("*lease"))

    async def test_an_announcement_that_is_cancelled_leaves_no_mark(self):
        await self.guard.get("warm", lambda key: asyncio.sleep(0, 1))
        for turns in range(1, 40):
            task = asyncio.ensure_future(self.guard.announce(f"a{turns}").begin())
            for _ in range(turns):
                await asyncio.sleep(0)
            was_there = task.done()
            task.cancel()
            if was_there:
                await (await task).release()
            else:
                with self.assertRaises(asyncio.CancelledError):
                    await task
        await self.until(lambda: not self.guard._tasks)
        self.assertEqual([], self.server.redis.keys("*lease"))

    async def test_no_turn_among_the_queries(self):
        guard, go = guards.AsyncGuard(self.client, "n", queries_at_once=1, query_wait=0.01, server_timeout=30), asyncio.Event()

        async def load(_):
            await go.wait()
            return 1
        first = asyncio.ensure_future(guard.get("a", load))
        await self.until(lambda: guard.counters()["loads"] == 1)
        with self.assertRaises(guards.Overloaded):
            await guard.get("b", load)
        go.set()
        self.assertEqual([1, 1], [await first, await guard.get("b", load)])

    async def test_a_server_that_does_not_answer(self):
        guard = guards.AsyncGuard(self.client, "n", server_timeout=0.05)

        async def load(_):
            return "row"
        await guard.get("a", load)
        self.server.process.send_signal(signal.SIGSTOP)
        self.assertEqual("row", await guard.get("b", load))
        with self.assertRaises(guards.NotErased):
            await guard.erase("a")
        self.server.process.send_signal(signal.SIGCONT)
        await self.until(lambda: not self.server.redis.keys("*lease"))

    async def test_behind_a_fence_nothing_negative_is_written_ahead(self):
        guard, redis_ = guards.AsyncGuard(self.client, "n", refresh_ahead=0.1, server_timeout=30), self.server.redis

        async def load(_):
            return None
        redis_.set(entry("a"), 'V0000000000001"old"')
        self.assertEqual("old", await guard.get("a", load, fence=("ab" * 16, "7")))
        await self.until(lambda: guard.counters()["loaded"] == 1 and not redis_.exists(lease("a")))
        self.assertEqual(b"V", redis_.get(entry("a"))[:1])

    async def test_cached_and_announced(self):
        @self.guard.cached(key=lambda user: user)
        async def load_user(user):
            return user.upper()
        self.assertEqual("A", await load_user("a"))
        async with load_user.announce("b") as mark:
            self.assertTrue(await mark.renew())
        with self.assertRaisesRegex(guards.NotAnnounced, "0 replicas have it, not 1"):
            async with load_user.announce("b", wait=1, wait_limit=0.01):
                self.fail("announced")
        await load_user.erase("a")
        self.assertEqual([], self.server.redis.keys())


if __name__ == "__main__":
    unittest.main()
