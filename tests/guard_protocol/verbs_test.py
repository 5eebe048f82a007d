# SPDX-License-Identifier: Apache-2.0
"""The verbs of the script: what they write, byte by byte, and what they refuse; with each family of filters, and with none."""
import unittest

import redis

from server import OnServer, Server, entry, lease, wait_until

TOKEN, OTHER = "0123456789abcdef" * 2, "f" * 32
LIFE = 5000


class Verbs(OnServer, unittest.TestCase):
    def setUp(self):
        self.redis.flushall()
        self.redis.config_set("maxmemory", 0)

    def get(self, *keys, token=TOKEN, family="", identity="", source="", position="", filter=None, server=None):
        return (server or self.server).run("get", keys, family, identity, source, position, token, LIFE, *keys, filter=filter)

    def put(self, key, held, kind="V", value="x", life=LIFE, refresh=0):
        return self.server.run("put", [key], held, kind, life, refresh, value)[0]

    def announce(self, *keys, token=TOKEN, life=LIFE, family="", filter=None):
        return self.server.run("announce", keys, family, "", "", "", token, life, *keys, filter=filter)

    def now(self):
        seconds, micros = self.redis.time()
        return seconds * 1000 + micros // 1000

    def test_bytes_of_an_entry_and_a_lease(self):
        before = self.redis.time()
        answer = self.get("alice")[0]
        self.assertEqual([b"lease", b"none"], answer[:2])
        self.assertEqual(b"L" + answer[2], self.redis.get("n:{=alice}:lease"))
        self.assertEqual(TOKEN.encode(), answer[2][:32])
        self.assertLessEqual(before[0] * 1000000 + before[1], int(answer[2][32:]))
        self.assertTrue(0 < self.redis.pttl("n:{=alice}:lease") <= LIFE)
        self.assertEqual([b"wait", b"none"], self.get("alice", token=OTHER)[0][:2])
        self.assertEqual(answer, self.get("alice")[0], "the same request again has the same lease")
        self.assertEqual(1, self.put("alice", answer[2], value=b"\0\xff V"))
        self.assertEqual(b"V0000000000000\0\xff V", self.redis.get("n:{=alice}"))
        self.assertEqual({b"n:{=alice}"}, set(self.redis.keys()))
        self.assertTrue(0 < self.redis.pttl("n:{=alice}") <= LIFE)
        self.assertEqual([b"value", b"none", b"\0\xff V"], self.get("alice")[0])
        self.assertEqual(0, self.put("alice", answer[2]), "a lease counts once")

    def test_no_row_is_one_byte(self):
        held = self.get("a")[0][2]
        self.assertEqual(1, self.put("a", held, "N"))
        self.assertEqual(b"N", self.redis.get("n:{=a}"))
        self.assertEqual([b"none", b"none"], self.get("a")[0])

    def test_any_key_has_strings_of_its_own_in_one_slot(self):
        keys = [b"", b"}", b"{", b"a}b", b"{x}", b"}:lease", b":lease", b"\0\xff", b"a", b"a}:lease", "ä".encode()]
        for key in keys:
            self.assertEqual(1, self.put(key, self.get(key)[0][2], value=b"of " + key))
        for key, answer in zip(keys, self.get(*keys)):
            self.assertEqual([b"value", b"none", b"of " + key], answer)
        self.assertEqual(len(keys), self.redis.dbsize())
        from redis.crc import key_slot
        for key in keys:
            self.assertEqual(key_slot(entry(key)), key_slot(lease(key)))

    def test_a_value_of_a_past_moment_is_given_out_with_one_lease(self):
        self.put("a", self.get("a")[0][2], refresh=60000)
        self.assertEqual(3, len(self.get("a")[0]))
        moment = int(self.redis.get(entry("a"))[1:14])
        self.assertTrue(self.now() < moment <= self.now() + 60000)
        self.redis.setrange(entry("a"), 1, f"{1:013d}")
        refreshed = self.get("a")[0]
        self.assertEqual([b"value", b"none", b"x"], refreshed[:3])
        self.assertEqual([b"value", b"none", b"x"], self.get("a", token=OTHER)[0])
        self.assertEqual(1, self.put("a", refreshed[3], value="y"))
        self.assertEqual([b"value", b"none", b"y"], self.get("a")[0])

    def test_drop_ends_its_own_lease_alone(self):
        held = self.get("a")[0][2]
        self.assertEqual(0, self.server.run("drop", ["a"], OTHER + "0" * 16))
        self.assertEqual(1, self.server.run("drop", ["a"], held))
        self.assertEqual(0, self.redis.dbsize())

    def test_a_late_request_takes_a_lease_that_is_nobodys(self):
        first = self.get("a")[0][2]
        self.server.run("erase", ["a"], "")
        self.assertNotEqual(first, self.get("a")[0][2])
        self.assertEqual(0, self.put("a", first))

    def test_marks_are_a_set_each_with_its_end(self):
        held = self.get("a")[0][2]
        answer = self.announce("a")
        self.assertTrue(self.now() < answer[0] <= self.now() + LIFE)
        self.assertEqual(f"O{TOKEN}{answer[0]:013d}".encode(), self.redis.get(lease("a")))
        self.assertEqual(0, self.put("a", held), "the reader before is too late")
        self.assertEqual([b"open", b"none", b"announced"], self.get("a")[0])
        long = self.announce("a", token=OTHER, life=60000)
        self.assertEqual(f"O{TOKEN}{answer[0]:013d}{OTHER}{long[0]:013d}".encode(), self.redis.get(lease("a")))
        self.assertTrue(LIFE < self.redis.pttl(lease("a")) <= 60000)
        again = self.announce("a")
        self.assertEqual([0, 1], [answer[1], again[1]], "the same token again renews")
        self.server.run("erase", ["a"], OTHER)
        self.assertEqual(f"O{TOKEN}{again[0]:013d}".encode(), self.redis.get(lease("a")))
        self.assertTrue(0 < self.redis.pttl(lease("a")) <= LIFE, "no longer than the longest mark")
        self.server.run("erase", ["a"], "")
        self.assertEqual(b"open", self.get("a")[0][0], "an erase of somebody else leaves the mark")
        self.server.run("erase", ["a"], TOKEN)
        self.assertEqual(0, self.redis.dbsize())

    def test_a_mark_that_has_ended_goes_with_the_next_step(self):
        self.redis.set(lease("a"), "O" + OTHER + f"{self.now() - 1:013d}", px=LIFE)
        self.announce("a")
        self.assertEqual(46, len(self.redis.get(lease("a"))))
        self.redis.set(lease("a"), "O" + OTHER + f"{self.now() - 1:013d}", px=LIFE)
        self.assertEqual(0, self.announce("a", token=OTHER)[1], "a renewed mark had ended")

    def test_announcing_takes_a_negative_entry_and_no_value(self):
        self.put("a", self.get("a")[0][2], "N")
        self.put("b", self.get("b")[0][2])
        self.announce("a", "b")
        self.assertEqual([b"open", b"value"], [each[0] for each in self.get("a", "b")])
        self.assertEqual(2, self.server.run("erase", ["a", "b"], TOKEN) + 1)

    def test_announcing_reads_both_strings_before_it_writes(self):
        mark = OTHER + f"{self.now() + LIFE:013d}"
        self.redis.set("both", "O" + mark, px=LIFE)
        self.server.do("announce", ["both", "both"], "", "", "", "", TOKEN, LIFE, "a")
        self.assertEqual(b"O" + mark.encode(), self.redis.get("both")[:46])

    def test_other_bytes_are_no_entry(self):
        for put in (lambda: self.redis.set(entry("a"), "?"), lambda: self.redis.set(entry("a"), "Vshort"),
                    lambda: self.redis.set(entry("a"), "NN"), lambda: self.redis.rpush(entry("a"), "x")):
            self.redis.flushall()
            put()
            answer = self.get("a")[0]
            self.assertEqual(b"lease", answer[0])
            self.assertEqual(1, self.put("a", answer[2]))
        self.redis.flushall()
        self.redis.set(lease("a"), "?", px=LIFE)
        self.assertEqual(b"open", self.get("a")[0][0])
        self.redis.delete(lease("a"))
        self.redis.rpush(lease("a"), "x")
        self.assertEqual([b"open", b"none", b"refused"], self.get("a")[0])
        self.redis.delete(lease("a"))
        self.redis.set(lease("a"), "L" + OTHER + "0" * 16)
        self.assertEqual(b"wait", self.get("a")[0][0])
        self.assertTrue(0 < self.redis.pttl(lease("a")) <= LIFE, "no lease lives for ever")

    def test_wrong_arguments_are_refused_and_change_nothing(self):
        for verb, words in (("get", ["", "", "", "", "short", LIFE, "a"]), ("get", ["", "", "", "", TOKEN, 0, "a"]),
                            ("get", ["", "", "", "", TOKEN, LIFE]), ("put", ["x"]), ("put", ["x", "Z", LIFE, 0, ""]),
                            ("put", ["x", "V", "1.5", 0, ""]), ("put", ["x", "V", "nan", 0, ""]), ("announce", ["", "", "", "", TOKEN, "-1", "a"]),
                            ("nothing", [])):
            with self.subTest(verb=verb, words=words), self.assertRaisesRegex(redis.ResponseError, "GUARD"):
                self.server.run(verb, ["a"], *words)
        with self.assertRaisesRegex(redis.ResponseError, "1000"):
            self.get(*(f"k{i}" for i in range(1001)))
        self.assertEqual(0, self.redis.dbsize())
        self.assertEqual(1000, len(self.get(*(f"k{i}" for i in range(1000)))))

    def test_half_a_fence_is_refused(self):
        for source, position in (("ab" * 16, ""), ("", "7")):
            with self.subTest(source=source), self.assertRaisesRegex(redis.ResponseError, "GUARD get: wrong arguments"):
                self.server.run("get", ["a"], "", "", source, position, TOKEN, 1000, "a")
            with self.subTest(source=source), self.assertRaisesRegex(redis.ResponseError, "GUARD ask: wrong arguments"):
                self.server.do("ask", ["f"], "BLOOM", "", source, position, "a")
        self.assertEqual(0, self.redis.dbsize())

    def test_a_full_server(self):
        self.put("v", self.get("v")[0][2])
        held = self.get("b")[0][2]
        self.announce("c")
        self.redis.config_set("maxmemory", 1)
        self.assertEqual([[b"value", b"none", b"x"], [b"open", b"none", b"refused"]], self.get("v", "new"))
        self.assertIn(b"OOM", self.put("b", held))
        self.assertFalse(self.redis.exists(lease("b")), "who could not write keeps nobody waiting")
        with self.assertRaisesRegex(redis.ResponseError, "OOM"):
            self.announce("d")
        self.assertEqual(1, self.server.run("erase", ["v"], ""))
        self.server.run("erase", ["c"], TOKEN)
        self.assertFalse(self.redis.exists(lease("c")))

    def test_places_among_the_queries(self):
        def enter(token, life=60000):
            return self.server.do("enter", ["n:queries"], token, 2, life)
        self.assertEqual([1, 1, 0], [enter("a"), enter("b"), enter("c")])
        self.assertEqual(1, self.server.do("leave", ["n:queries"], "a"))
        self.assertEqual(1, enter("c"))
        self.redis.zadd("n:queries", {"b": 1})
        self.assertEqual(1, enter("d"), "who died leaves its place")

    def test_a_replica_is_never_believed(self):
        self.put("v", self.get("v")[0][2], life=600000)
        self.put("none", self.get("none")[0][2], "N", life=600000)
        self.redis.config_set("repl-diskless-sync-delay", 0)
        for writable in ("no", "yes"):
            with Server("--replicaof", "127.0.0.1", str(self.server.port), "--replica-read-only", writable) as replica:
                wait_until(lambda: replica.redis.info("replication")["master_link_status"] == "up" and replica.redis.exists(entry("v")))
                self.assertEqual([[b"open", b"unknown", b"role"]] * 3, self.get("v", "none", "other", server=replica))
                for verb, words in (("announce", ["", "", "", "", TOKEN, LIFE, "v"]), ("erase", [""]), ("put", ["x", "N", LIFE, 0, ""])):
                    with self.assertRaisesRegex(redis.ResponseError, "GUARD not a primary"):
                        replica.run(verb, ["v"], *words)
                replica.redis.replicaof("NO", "ONE")
                self.assertEqual([[b"value", b"none", b"x"], [b"none", b"none"]], self.get("v", "none", server=replica))


if __name__ == "__main__":
    unittest.main()
