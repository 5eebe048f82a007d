# SPDX-License-Identifier: Apache-2.0
"""Single keys, and what a filter is made with."""
import unittest

import numpy

import arrow_producer as arrow
import pybloomery
from pybloomery import BloomFilter, Presence
from support import KINDS


class Keys(unittest.TestCase):
    def test_what_was_added_is_found_in_every_kind(self):
        for kind in KINDS:
            f = BloomFilter(1000, 0.01, kind=kind)
            self.assertNotIn("alice", f)
            self.assertIs(f.add("alice"), True)
            self.assertIs(f.add("alice"), False)
            self.assertIn("alice", f)
            self.assertEqual((len(f), f.capacity), (1, 1000))
            self.assertEqual(f.info()["kind"], kind)

    def test_text_is_its_utf8(self):
        f = BloomFilter(1000)
        f.update(["ä", "Ω漢😀", ""])
        for key in ("ä", "ä".encode(), "Ω漢😀", b"", bytearray("ä".encode()), memoryview("ä".encode())):
            self.assertIn(key, f)
        self.assertNotIn("a\u0308", f)  # another spelling is another key
        with self.assertRaises(UnicodeEncodeError):
            "\ud800" in f

    def test_integers_and_texts_are_never_taken_for_each_other(self):
        texts, numbers = BloomFilter(1000), BloomFilter(1000)
        self.assertIsNone(texts.keys)
        self.assertNotIn(42, texts)  # nothing is in it yet
        texts.add("42")
        numbers.add(42)
        self.assertEqual((texts.keys, numbers.keys), ("text", "i64"))
        for ask in (
            lambda: 42 in texts,
            lambda: texts.add(42),
            lambda: texts.update([42]),
            lambda: texts.contains_many(numpy.array([42])),
            lambda: b"\x2a\0\0\0\0\0\0\0" in numbers,
            lambda: numbers.update(numpy.array([b"42"])),
            lambda: numbers.contains_many(arrow.strings([b"x"], "z")),
        ):
            with self.assertRaises(pybloomery.KeyFormError):
                ask()
        self.assertIn("42", numbers)  # spelt, as the command has it
        with self.assertRaises(ValueError):
            "forty-two" in numbers
        with self.assertRaises(TypeError):
            texts.update(["a", 1])
        with self.assertRaises(TypeError):
            texts.update(["a", b"a"])

    def test_what_is_no_key_is_refused(self):
        f = BloomFilter(1000)
        for key in (True, 1.5, None, ("a",), numpy.float64(1), numpy.bool_(True), object()):
            with self.assertRaises(TypeError):
                f.add(key)
            with self.assertRaises(TypeError):
                key in f
        for key in (2**64, -(2**63) - 1, 10**5000):
            with self.assertRaisesRegex(OverflowError, "is no key: integers have 64 bits"):
                f.add(key)
        self.assertEqual((len(f), f.keys), (0, None))

    def test_integers_have_64_bits(self):
        f = BloomFilter(1000)
        for key in (-(2**63), 2**63 - 1, numpy.int64(-5), numpy.uint8(7)):
            f.add(key)
        self.assertIn(-(2**63), f)
        self.assertIn(-5, f)
        self.assertIn(7, f)
        with self.assertRaises(ValueError):
            2**63 in f
        u = BloomFilter(1000, keys="u64")
        u.add(2**64 - 1)
        self.assertIn(2**64 - 1, u)
        with self.assertRaises(ValueError):
            -1 in u

    def test_a_key_that_was_added_too_often_stays_and_its_removal_says_so(self):
        for key in ("often", 7, 2**63, b"often"):
            f = BloomFilter(1000, kind="counting")
            for _ in range(20):
                f.add(key)
            for _ in range(20):
                self.assertIs(f.remove(key), False)
                self.assertIs(f.discard(key), False)
            self.assertIn(key, f)
        f = BloomFilter(1000, kind="counting")
        for _ in range(14):
            f.add("seldom")
        for _ in range(13):
            self.assertIs(f.remove("seldom"), True)
        self.assertIs(f.discard("seldom"), True)
        self.assertIs(f.discard("seldom"), False)
        self.assertRaises(KeyError, f.remove, "seldom")

    def test_only_counting_filters_forget(self):
        f = BloomFilter(1000, kind="counting")
        f.update([1, 2])
        f.remove(1)
        f.discard(1)
        with self.assertRaises(KeyError):
            f.remove(1)
        self.assertEqual(f.contains_many([1, 2]), [False, True])
        with self.assertRaises(ValueError):
            BloomFilter(1000).remove(1)
        h = BloomFilter(1000, kind="counting", keys="hex")
        h.add("6162")
        h.discard(b"6162")
        self.assertIn(b"ab", h)
        h.remove(b"ab")
        self.assertNotIn("6162", h)

    def test_options_are_checked(self):
        for wrong in (
            lambda: BloomFilter(0),
            lambda: BloomFilter(10, 0),
            lambda: BloomFilter(10, 1.5),
            lambda: BloomFilter(2**63),
            lambda: BloomFilter(10, kind="round"),
            lambda: BloomFilter(10, kind="static"),
            lambda: BloomFilter(10, keys="words"),
            lambda: BloomFilter(10, format="nothing"),
            lambda: pybloomery.open("x", "w"),
        ):
            with self.assertRaises(ValueError):
                wrong()
        for wrong in (lambda: BloomFilter(), lambda: BloomFilter("10"), lambda: BloomFilter(10, sped=1)):
            with self.assertRaises(TypeError):
                wrong()
        for wrong in (0, -1, 2**64, numpy.int64(-1)):
            for call in (BloomFilter, pybloomery.size_of):
                with self.assertRaisesRegex(ValueError, r"^capacity is a whole number of keys, .*, not -?\d+$"):
                    call(wrong)
        for wrong in ("10", 1e6, True, numpy.bool_(True), numpy.float64(10), None, [10]):
            with self.assertRaisesRegex(TypeError, "^capacity is a whole number of keys, .*, not "):
                BloomFilter(wrong)
        for wrong in (0, 1, -0.5, 1.5, float("nan"), float("inf"), numpy.float64(2)):
            for call in (BloomFilter, pybloomery.size_of):
                with self.assertRaisesRegex(ValueError, "^rate is a number above 0 and below 1, not "):
                    call(10, wrong)
        with self.assertRaisesRegex(TypeError, "^rate is a number above 0 and below 1, not str$"):
            BloomFilter(10, "0.01")

    def test_numbers_are_those_of_numpy_too(self):
        f = BloomFilter(numpy.int32(1000), numpy.float32(0.01), seed=numpy.uint64(2**64 - 1), kind="windowed", generations=numpy.int8(7))
        self.assertEqual((f.capacity, f.info()["seed"]), (1000, 2**64 - 1))
        self.assertEqual(BloomFilter.build(["a"], capacity=numpy.int64(50)).capacity, 50)

    def test_presence_has_no_truth(self):
        f = BloomFilter(10)
        f.add("a")
        self.assertEqual((f.presence("a"), f.presence("b")), (Presence.MAYBE, Presence.ABSENT))
        with self.assertRaises(TypeError):
            if f.presence("a"):
                pass
