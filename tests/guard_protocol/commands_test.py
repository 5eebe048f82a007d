# SPDX-License-Identifier: Apache-2.0
"""What only the module's commands have: BLOCK, rights, descriptions, replicas, the append-only file, slots of a cluster."""
import os
import socket
import threading
import time
import unittest

import redis

from server import OnServer, Server, entry, lease, wait_until

TOKEN, OTHER = "0123456789abcdef" * 2, "f" * 32
LIFE = 60000
VERBS = "get put drop announce erase ask insert open enter leave".split()


def setUpModule():
    if not os.environ.get("BLOOMERY_MODULE"):
        raise unittest.SkipTest("BLOOMERY_MODULE names no module")
    os.environ["GUARD_WAY"] = "commands"


class Asker(threading.Thread):
    """Asks in a thread of its own, with BLOCK, and keeps the answers and when they came."""

    def __init__(self, server, *keys, most=30000, token=OTHER, db=0, waits=True, user=None):
        super().__init__(daemon=True)
        self.client, self.server = redis.Redis(port=server.port, socket_timeout=60, db=db, **({"username": user, "password": "x"} if user else {})), server
        words = [each for key in keys for each in (entry(key), lease(key))]
        self.words = ("GUARD.GET", len(words), *words, "", "", "", "", token, LIFE, *keys, "BLOCK", most)
        self.answers, self.at = None, None
        waiting = server.redis.info("clients")["blocked_clients"]
        self.start()
        if waits:
            wait_until(lambda: self.at or server.redis.info("clients")["blocked_clients"] > waiting)

    def run(self):
        try:
            self.answers = self.client.execute_command(*self.words)
        except redis.RedisError as error:
            self.answers = error
        self.at = time.monotonic()

    def end(self):
        self.join(30)
        return self.answers


class Block(OnServer, unittest.TestCase):
    def setUp(self):
        self.redis.flushall()

    def lease_of(self, key="a", token=TOKEN):
        return self.server.run("get", [key], "", "", "", "", token, LIFE, key)[0][2]

    def test_a_put_wakes_all_who_wait(self):
        held = self.lease_of()
        askers = [Asker(self.server, "a", token=f"{i:032}") for i in range(5)]
        self.assertTrue(all(each.at is None for each in askers))
        self.assertEqual(1, self.server.run("put", ["a"], held, "V", LIFE, 0, "row")[0])
        self.assertEqual([[[b"value", b"none", b"row"]]] * 5, [each.end() for each in askers])
        held = self.lease_of("b")
        asker = Asker(self.server, "b")
        self.server.run("put", ["b"], held, "N", LIFE, 0, "")
        self.assertEqual([[b"none", b"none"]], asker.end())
        self.assertEqual(0, self.redis.info("clients")["blocked_clients"])

    def test_a_lease_that_was_given_back_is_asked_for_again(self):
        for verb, words in (("drop", [self.lease_of()]), ("erase", [""])):
            self.lease_of()
            asker = Asker(self.server, "a")
            self.server.run(verb, ["a"], *words)
            self.assertEqual([[b"wait", b"none", 1]], asker.end(), "who waited writes nothing")
            self.assertEqual(b"lease", self.server.run("get", ["a"], "", "", "", "", OTHER, LIFE, "a")[0][0])
            self.redis.flushall()

    def test_announcing_wakes(self):
        self.lease_of()
        asker = Asker(self.server, "a")
        self.server.run("announce", ["a"], "", "", "", "", TOKEN, LIFE, "a")
        self.assertEqual([[b"open", b"none", b"announced"]], asker.end())

    def test_what_others_did_is_found_by_a_timer(self):
        def set_value():
            self.redis.set(entry("a"), "V0000000000000x", px=LIFE)
            self.redis.delete(lease("a"))
        for change, answer in ((set_value, [b"value", b"none", b"x"]), (lambda: self.redis.delete(lease("a")), [b"wait", b"none", 1]),
                               (lambda: self.redis.pexpire(lease("a"), 1), [b"wait", b"none", 1]), (self.redis.flushall, [b"wait", b"none", 1])):
            self.redis.flushall()
            self.lease_of()
            asker = Asker(self.server, "a")
            change()
            self.assertEqual([answer], asker.end())

    def test_who_waits_long_is_told_to_go_on_waiting(self):
        self.lease_of()
        began = time.monotonic()
        answer = Asker(self.server, "a", most=50).end()[0]
        self.assertLessEqual(0.05, time.monotonic() - began)
        self.assertEqual([b"wait", b"none"], answer[:2])
        self.assertTrue(1000 < answer[2] <= LIFE)

    def test_some_of_many(self):
        held = self.lease_of("b")
        self.server.run("put", ["a"], self.lease_of("a"), "V", LIFE, 0, "x")
        other = self.lease_of("c")
        asker = Asker(self.server, "a", "b", "c")
        self.server.run("put", ["b"], held, "V", LIFE, 0, "y")
        self.assertEqual([b"value", b"value", b"wait"], [each[0] for each in asker.end()])
        self.server.run("drop", ["c"], other)
        asker = Asker(self.server, "a", "new")
        self.assertEqual([b"value", b"lease"], [each[0] for each in asker.end()], "who has to load does not wait")

    def test_who_has_to_load_an_open_row_does_not_wait(self):
        self.lease_of()
        self.server.run("announce", ["new"], "", "", "", "", TOKEN, LIFE, "new")
        self.assertEqual([b"wait", b"open"], [each[0] for each in Asker(self.server, "a", "new", waits=False).end()])

    def test_many_leases(self):
        keys = [f"k{i}" for i in range(1000)]
        self.server.run("get", keys, "", "", "", "", TOKEN, LIFE, *keys)
        asker = Asker(self.server, *keys)
        for key in ("k999", "k500", "k0"):
            self.redis.delete(lease(key))
            self.assertEqual(b"wait", asker.end()[keys.index(key)][0])
            self.server.run("get", [key], "", "", "", "", TOKEN, LIFE, key)
            asker = Asker(self.server, *keys)
        self.redis.flushall()
        asker.end()

    def test_swapped_databases(self):
        self.lease_of()
        asker = Asker(self.server, "a")
        self.redis.swapdb(0, 1)
        self.assertEqual([[b"wait", b"none", 1]], asker.end())
        self.redis.flushall()

    def test_another_database_has_other_leases(self):
        held = self.lease_of()
        with redis.Redis(port=self.server.port, db=1) as other:
            other.set(lease("a"), "L" + TOKEN + "1" * 16, px=LIFE)
            there, here = Asker(self.server, "a", db=1), Asker(self.server, "a")
            self.server.run("put", ["a"], held, "V", LIFE, 0, "x")
            self.assertEqual(b"value", here.end()[0][0])
            self.assertIsNone(there.at)
            other.delete(lease("a"))
            self.assertEqual([[b"wait", b"none", 1]], there.end())

    def test_a_lease_that_followed_another_wakes_those_of_the_first(self):
        self.lease_of()
        first = Asker(self.server, "a")
        self.redis.set(lease("a"), "L" + TOKEN + "1" * 16, px=LIFE)
        second = Asker(self.server, "a", token="e" * 32, waits=False)
        self.assertEqual(b"wait", first.end()[0][0])
        wait_until(lambda: self.redis.info("clients")["blocked_clients"] == 1)
        self.redis.delete(lease("a"))
        second.end()

    def test_not_in_transactions_nor_scripts(self):
        self.lease_of()
        words = ("GUARD.GET", 2, entry("a"), lease("a"), "", "", "", "", OTHER, LIFE, "a", "BLOCK", 10000)
        began = time.monotonic()
        with self.redis.pipeline(transaction=True) as both:
            both.execute_command(*words)
            both.execute_command(*words)
            for answer in both.execute():
                self.assertEqual(b"wait", answer[0][0])
        answer = self.redis.eval("return redis.call(unpack(ARGV))", 0, *words)
        self.assertEqual(b"wait", answer[0][0])
        self.assertLess(time.monotonic() - began, 9)

    def test_wrong_limits(self):
        for most in (0, -1, 60001, "x", ""):
            with self.assertRaisesRegex(redis.ResponseError, "BLOCK"):
                self.redis.execute_command("GUARD.GET", 2, entry("a"), lease("a"), "", "", "", "", OTHER, LIFE, "a", "BLOCK", most)
        with self.assertRaisesRegex(redis.ResponseError, "wrong arguments"):
            self.redis.execute_command("GUARD.GET", 2, entry("a"), lease("a"), "", "", "", "", OTHER, LIFE, "a", "BLOCC", 5)
        self.assertEqual(0, self.redis.dbsize())

    def test_clients_that_go_while_they_wait(self):
        held = self.lease_of()
        askers = [Asker(self.server, "a") for _ in range(3)]
        self.redis.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        for each in askers:
            each.join(30)
        wait_until(lambda: self.redis.info("clients")["blocked_clients"] == 0)
        last = Asker(self.server, "a")
        self.server.run("put", ["a"], held, "V", LIFE, 0, "x")
        self.assertEqual([[b"value", b"none", b"x"]], last.end())

    def test_nothing_is_written_while_a_server_hands_over(self):
        self.lease_of()
        asker = Asker(self.server, "a")
        self.redis.pexpire(lease("a"), 1)
        self.redis.execute_command("CLIENT", "PAUSE", 300, "WRITE")
        self.assertEqual(b"wait", asker.end()[0][0])
        self.assertTrue(self.redis.ping())
        self.redis.execute_command("CLIENT", "UNPAUSE")

    def test_a_server_that_becomes_a_replica(self):
        with Server() as replica:
            words = (2, entry("a"), lease("a"), "", "", "", "", TOKEN, LIFE, "a")
            replica.redis.execute_command("GUARD.GET", *words)
            asker = Asker(replica, "a")
            replica.redis.replicaof("127.0.0.1", self.server.port)
            answer = asker.end()
            self.assertTrue(isinstance(answer, redis.RedisError) or answer == [[b"open", b"unknown", b"role"]], answer)


class Described(OnServer, unittest.TestCase):
    def test_keys_are_found(self):
        words = ("GUARD.GET", 3, entry("a"), lease("a"), "f", "BLOOM", "", "", "", TOKEN, LIFE, "a")
        self.assertEqual([entry("a").decode(), lease("a").decode(), "f"], self.redis.execute_command("COMMAND GETKEYS", *words))

    def test_each_says_what_it_is(self):
        docs = self.redis.execute_command("COMMAND DOCS", *("guard." + verb for verb in VERBS))
        docs = docs if isinstance(docs, dict) else {docs[i]: docs[i + 1] for i in range(0, len(docs), 2)}
        self.assertEqual({b"guard." + verb.encode() for verb in VERBS}, set(docs))
        for said in docs.values():
            said = said if isinstance(said, dict) else {said[i]: said[i + 1] for i in range(0, len(said), 2)}
            self.assertTrue(said[b"summary"] and said[b"arguments"])

    def test_rights(self):
        run = self.redis.execute_command
        run("ACL", "SETUSER", "reader", "on", ">x", "~n:*", "~f", "+guard.get", "+mget", "+set", "+pttl", "+pexpire")
        with redis.Redis(port=self.server.port, username="reader", password="x") as reader:
            words = (2, entry("a"), lease("a"), "", "", "", "", TOKEN, LIFE, "a")
            self.assertEqual(b"lease", reader.execute_command("GUARD.GET", *words)[0][0])
            with self.assertRaises(redis.exceptions.NoPermissionError):
                reader.execute_command("GUARD.GET", 2, "m:{=a}", "m:{=a}:lease", "", "", "", "", TOKEN, LIFE, "a")
            with self.assertRaises(redis.exceptions.NoPermissionError):
                reader.execute_command("GUARD.ERASE", 2, entry("a"), lease("a"), "")
            held = Asker(self.server, "a", user="reader")
            self.redis.delete(lease("a"))
            self.assertEqual([[b"wait", b"none", 1]], held.end())
            run("ACL", "SETUSER", "reader", "-set")
            self.redis.flushall()
            self.assertEqual([[b"open", b"none", b"refused"]], reader.execute_command("GUARD.GET", *words), "as of a script")

    def test_a_client_of_resp3(self):
        self.redis.execute_command("BLOOM.RESERVE", "f", 0.0001, 1000)
        identity = self.server.do("open", ["f"], "BLOOM")
        with socket.create_connection(("127.0.0.1", self.server.port)) as raw:
            def ask(*words):
                raw.sendall(b"".join([b"*%d\r\n" % len(words), *(b"$%d\r\n%s\r\n" % (len(each), each) for each in words)]))
                return raw.recv(65536)
            ask(b"HELLO", b"3")
            self.assertEqual(b"$32\r\n" + identity + b"\r\n", ask(b"GUARD.OPEN", b"1", b"f", b"BLOOM"))
            self.assertEqual(b"*1\r\n*1\r\n$6\r\nabsent\r\n",
                             ask(b"GUARD.GET", b"3", entry("x"), lease("x"), b"f", b"BLOOM", identity, b"", b"", TOKEN.encode(), b"1000", b"x"))
            self.assertEqual(b"*1\r\n$6\r\nabsent\r\n", ask(b"GUARD.ASK", b"1", b"f", b"BLOOM", identity, b"", b"", b"x"))

    def test_numbers_of_keys(self):
        for count in ("0", "-1", "9", "x", "", str(2**63)):
            with self.assertRaises(redis.ResponseError):
                self.redis.execute_command("GUARD.ERASE", count, entry("a"), lease("a"), "")

    def test_they_stand_behind_a_prefix(self):
        with Server("--loadmodule", os.environ["BLOOMERY_MODULE"], "prefix", "my", module=False) as server:
            self.assertEqual(b"lease", server.run("get", ["a"], "", "", "", "", TOKEN, LIFE, "a")[0][0])


class Followed(unittest.TestCase):
    def steps(self, server):
        run = server.run
        server.redis.execute_command("BLOOM.RESERVE", "f", 0.0001, 1000)
        run("announce", ["new"], "BLOOM", "", "", "", OTHER, LIFE, "new", filter="f")
        for key, kind in (("a", "V"), ("none", "N")):
            run("put", [key], run("get", [key], "", "", "", "", TOKEN, LIFE, key)[0][2], kind, LIFE, 0, "row")
        run("get", ["held"], "", "", "", "", TOKEN, LIFE, "held")
        run("put", ["gone"], run("get", ["gone"], "", "", "", "", TOKEN, LIFE, "gone")[0][2], "V", LIFE, 0, "row")
        run("erase", ["gone"], "")

    def standing(self, server):
        keys = sorted(key for key in server.redis.keys() if key != b"f")
        return [(key, server.redis.get(key), server.redis.pexpiretime(key)) for key in keys]

    def test_a_replica_has_the_same_with_the_same_ends(self):
        with Server() as primary, Server("--replicaof", "127.0.0.1", str(primary.port)) as replica:
            wait_until(lambda: replica.redis.info("replication")["master_link_status"] == "up")
            self.steps(primary)
            self.assertEqual(1, primary.redis.wait(1, 30000))
            self.assertEqual(4, len(self.standing(primary)))
            self.assertEqual(self.standing(primary), self.standing(replica))
            self.assertEqual([1, 0], replica.redis.execute_command("BLOOM.CHECK", "f", "new", "other"))

    def test_an_append_only_file_has_it(self):
        with Server("--appendonly", "yes", "--appendfsync", "always") as server:
            self.steps(server)
            before = self.standing(server)
            server.kill()
            server.start()
            self.assertEqual(before, self.standing(server))
            self.assertEqual([1, 0], server.redis.execute_command("BLOOM.CHECK", "f", "new", "other"))

    def test_a_cluster_takes_the_keys_of_one_slot(self):
        with Server("--cluster-enabled", "yes") as node:
            node.redis.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            wait_until(lambda: b"cluster_state:ok" in node.redis.execute_command("CLUSTER", "INFO", **{redis.client.NEVER_DECODE: True}))
            self.assertEqual(b"lease", node.run("get", ["a"], "", "", "", "", TOKEN, LIFE, "a")[0][0])
            with self.assertRaisesRegex(redis.ResponseError, "slot"):
                node.run("get", ["a", "b"], "", "", "", "", TOKEN, LIFE, "a", "b")


if __name__ == "__main__":
    unittest.main()
