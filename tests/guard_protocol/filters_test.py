# SPDX-License-Identifier: Apache-2.0
"""The filter within the script: absent only of a filter that has proved itself, by BLOOM.* and by BF.*."""
import os
import unittest

import redis

from server import OnServer, entry

TOKEN = "0123456789abcdef" * 2
LIFE = 5000


class Filters(OnServer):
    """What both families promise. Each names its commands, and makes a filter."""

    @classmethod
    def setUpClass(cls):
        if not os.environ.get("BLOOMERY_MODULE"):
            raise unittest.SkipTest("BLOOMERY_MODULE names no module")
        super().setUpClass()

    def setUp(self):
        self.redis.flushall()
        self.make()
        self.add("alice", "bob")
        self.identity = self.open()

    def open(self):
        return self.server.do("open", ["f", "{f}:markers"], self.family)

    def get(self, *keys, identity=None, source="", position=""):
        answers = self.server.run("get", keys, self.family, self.identity if identity is None else identity, source, position, TOKEN, LIFE, *keys,
                                  filter="f")
        return [b" ".join(each[:2]).decode() for each in answers]

    def announce(self, *keys):
        return self.server.run("announce", keys, self.family, "", "", "", TOKEN, LIFE, *keys, filter="f")

    def test_absent_maybe_and_what_has_no_entry_is_not_touched(self):
        self.assertEqual(["lease maybe", "absent", "lease maybe"], self.get("alice", "carol", "bob"))
        self.assertFalse(self.redis.exists(entry("carol"), entry("carol") + b":lease"))

    def test_announcing_inserts(self):
        self.announce("carol", "dave")
        self.assertEqual(["open maybe", "open maybe", "absent"], self.get("carol", "dave", "eve"))

    def test_any_key(self):
        keys = [b"", b"FENCE", b"fence", b"IDENTITY", b"ITEMS", b"NOCREATE", b"\0\xff", b"}", b"a b"]
        for key in keys:
            self.assertEqual(["absent"], self.get(key), key)
        self.assertEqual(["absent"] * len(keys), self.get(*keys))
        for key in keys:
            self.announce(key)
            self.assertEqual(["open maybe"], self.get(key), key)
        self.announce(*keys)
        self.assertEqual(["open maybe"] * len(keys), self.get(*keys))

    def test_a_filter_that_is_not_the_one_is_unknown(self):
        def missing(): self.redis.delete("f")
        def another_type(): self.redis.delete("f"); self.redis.set("f", "x")
        def made_anew(): self.redis.delete("f"); self.make()
        def made_by_an_add(): self.redis.delete("f"); self.redis.execute_command(self.bf + ".ADD", "f", "zoe")
        for change in (missing, another_type, made_anew, made_by_an_add):
            with self.subTest(change.__name__):
                self.setUp()
                self.assertEqual(["absent"], self.get("carol"))
                change()
                self.assertEqual(["lease unknown", "lease unknown"], self.get("carol", "alice"))

    def test_no_identity_and_another_are_unknown(self):
        self.assertEqual(["lease unknown"], self.get("carol", identity=""))
        self.assertEqual(["lease unknown"], self.get("dora", identity="0" * 32))

    def test_a_missing_filter_takes_no_announcement_and_is_not_made(self):
        self.redis.delete("f")
        with self.assertRaises(redis.ResponseError):
            self.announce("carol")
        self.assertFalse(self.redis.exists("f", entry("carol") + b":lease"))
        self.redis.set("f", "x")
        with self.assertRaises(redis.ResponseError):
            self.announce("carol")

    def test_ask_and_insert_alone(self):
        self.assertEqual(3, self.server.do("insert", ["f"], self.family, "x", "FENCE", ""))
        answers = self.server.do("ask", ["f"], self.family, self.identity, "", "", "x", "FENCE", "", "carol")
        self.assertEqual([b"maybe"] * 3 + [b"absent"], answers)

    def test_open_refuses_what_is_no_filter(self):
        self.redis.delete("f", "{f}:markers")
        with self.assertRaises(redis.ResponseError):
            self.open()


class OfBloom(Filters, unittest.TestCase):
    family, bf = "BLOOM", "BF"

    def make(self):
        self.redis.execute_command(self.family + ".RESERVE", "f", 0.0001, 1000)

    def add(self, *items):
        self.redis.execute_command(self.family + ".MADD", "f", *items)

    def test_a_filter_that_forgets_or_has_no_identity_is_not_opened(self):
        for words, why in ((("BLOOM.RESERVE", "g", 0.01, 1000, "COUNTING"), "forgets"), (("BLOOM.RESERVE", "g", 0.01, 1000, "WINDOW", 60), "forgets"),
                           (("BF.RESERVE", "g", 0.01, 1000), "identity")):
            self.redis.delete("g")
            self.redis.execute_command(*words)
            with self.assertRaisesRegex(redis.ResponseError, why):
                self.server.do("open", ["g", "{g}:markers"], "BLOOM")

    def test_zeros_are_the_identity_of_no_filter(self):
        self.redis.execute_command(self.bf + ".ADD", "g", "zoe")
        zeros = "0" * 32
        self.assertEqual([b"unknown"] * 2, self.server.do("ask", ["g"], self.family, zeros, "", "", "alice", "zoe"))
        self.redis.rename("g", "f")
        self.assertEqual(["lease unknown"], self.get("alice", identity=zeros))

    def test_a_fence(self):
        source = "ab" * 16
        none = "-"
        self.assertEqual(["lease unknown"], self.get("carol", source=source, position="0" * 31 + "5"))
        self.assertEqual(1, self.redis.execute_command("BLOOM.ADVANCE", "f", "EPOCH", self.identity, "FROM", none, "TO", f"{source}:7", "ITEMS", "eve"))
        self.redis.delete(entry("carol") + b":lease")
        for key in (b"carol", b"FENCE"):
            self.assertEqual(["absent"], self.get(key, source=source, position="7"))
            self.assertEqual(["lease unknown"], self.get(key, source=source, position="8"))
        self.assertEqual(["lease unknown"], self.get("dora", source="cd" * 16, position="7"))
        self.assertEqual(["lease maybe"], self.get("eve", source=source, position="7"))

    def test_no_negative_entry_behind_a_fence(self):
        self.redis.set(entry("alice"), "N", px=LIFE)
        self.redis.set(entry("bob"), "V0000000000000x", px=LIFE)
        self.assertEqual(["open maybe", "value maybe"], self.get("alice", "bob", source="ab" * 16, position="7"))


class OfBf(Filters, unittest.TestCase):
    family, bf = "BF", "BF"

    def make(self):
        self.redis.delete("{f}:markers")
        name = self.redis.incr("filters")
        self.redis.execute_command(self.family + ".RESERVE", "f", 0.0001, 1000)
        self.redis.set("{f}:markers", f"name{name}")
        self.add(*(f"bloomery-marker:name{name}:{i}" for i in range(8)))

    def add(self, *items):
        self.redis.execute_command(self.family + ".MADD", "f", *items)

    def test_one_marker_that_is_not_there_makes_it_unknown(self):
        for lost in range(8):
            self.redis.delete("f")
            self.redis.execute_command("BF.RESERVE", "f", 0.000001, 1000)
            self.add("alice", *(f"bloomery-marker:{self.identity.decode()}:{i}" for i in range(8) if i != lost))
            self.assertEqual(["lease unknown"], self.get(f"carol{lost}"))

    def test_a_filter_that_is_full_takes_no_announcement(self):
        self.redis.delete("f")
        self.redis.execute_command("BF.RESERVE", "f", 0.0001, 4, "NONSCALING")
        self.announce("a", "b", "c", "d")
        with self.assertRaisesRegex(redis.ResponseError, "full|maximum|filter"):
            self.announce("e", "g")
        self.assertFalse(self.redis.exists(entry("e") + b":lease"))

    def test_no_fence_is_kept(self):
        self.assertEqual(["lease unknown"], self.get("carol", source="ab" * 16, position="7"))


class OfBloomUnderAPrefix(OfBloom):
    family, bf = "MY.BLOOM", "MY.BF"

    settings, module = ("--loadmodule", os.environ.get("BLOOMERY_MODULE", ""), "prefix", "my"), False

    test_a_fence = test_a_filter_that_forgets_or_has_no_identity_is_not_opened = None


if __name__ == "__main__":
    unittest.main()
