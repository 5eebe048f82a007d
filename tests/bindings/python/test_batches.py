# SPDX-License-Identifier: Apache-2.0
"""Keys by the batch, as NumPy, Arrow and Python itself have them."""
import array
import contextlib
import signal
import struct
import time
import unittest

import numpy

import arrow_producer as arrow
import pybloomery
from pybloomery import BloomFilter, Presence


class Batches(unittest.TestCase):
    def both(self, given, same):
        """Added as `given`, found by ones as `same`, and the other way round."""
        self.each_way(lambda: given, same)
        h = BloomFilter.build(given, kind="static")
        self.assertEqual(h.contains_many(same), [True] * len(same))

    def test_characters_of_an_array_are_keys_of_one_each(self):
        characters = ["a", "\0", "é", "\U0001f600"]
        self.both(array.array("u", "".join(characters)), characters)
        self.both(numpy.array(["a", "ab", "é"]), ["a", "ab", "é"])

    def each_way(self, make, same):
        f, g = BloomFilter(1000), BloomFilter(1000)
        self.assertEqual(f.update(make()), len(set(same)))
        for key in same:
            self.assertIn(key, f)
        self.assertEqual(list(f.contains_many(make())), [True] * len(same))
        g.update(same)
        self.assertEqual(list(g.contains_many(make())), [True] * len(same))
        self.assertEqual(list(g.presence_many(make())), [1] * len(same))
        self.assertEqual(list(g.add_many(make())), [False] * len(same))
        self.assertEqual(f.to_bytes(), g.to_bytes())

    def test_integers_of_numpy(self):
        for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "<i8", "=i8"):
            self.both(numpy.array([0, 1, 100, 127], dtype=code), [0, 1, 100, 127])
        self.both(numpy.array([-1, -128], dtype="i1"), [-1, -128])
        self.both(numpy.array([-(2**63), 2**63 - 1]), [-(2**63), 2**63 - 1])
        self.both(numpy.arange(20)[::-3], list(range(20))[::-3])
        self.both(numpy.arange(20, dtype="i4")[5::2], list(range(20))[5::2])
        self.both(numpy.ma.array([1, 2]), [1, 2])
        self.both(numpy.ma.array([1, 2], mask=[False, True]).compressed(), [1])
        self.both(numpy.frombuffer(b"x" + bytes(16), "i8", offset=1)[:1], [0])
        u = BloomFilter(100, keys="u64")
        u.update(numpy.array([2**64 - 1], dtype="u8"))
        self.assertIn(2**64 - 1, u)

    def test_texts_of_numpy(self):
        self.both(numpy.array([b"alice", b"carol"]), [b"alice", b"carol"])
        self.both(numpy.array(["a", "ä漢😀", ""]), ["a", "ä漢😀", ""])
        self.both(numpy.array([b"abc", b"c\0c", b"def"])[::-2], [b"def", b"abc"])
        self.both(numpy.array(["ab", "c", "def"])[::-2], ["def", "ab"])
        self.both(numpy.array(["a", "b"], dtype=object), ["a", "b"])

    def test_other_buffers_and_iterables(self):
        self.both(array.array("q", [1, -2]), [1, -2])
        self.both(memoryview(array.array("i", [1, -2])), [1, -2])
        for make in (list, tuple, set, dict.fromkeys, iter):
            f = BloomFilter(1000)
            self.assertEqual(f.update(make(["a", "b"])), 2)
            self.assertEqual(f.contains_many(make(["a", "b"])), [True, True])
        f = BloomFilter(20000)
        f.update(f"key {i}" for i in range(10000))  # several pieces
        self.assertEqual(sum(f.contains_many(f"key {i}" for i in range(10000))), 10000)
        self.assertEqual(f.update([]), 0)
        self.assertEqual(f.contains_many([]), [])

    def test_every_answer_stands_at_its_key(self):
        f = BloomFilter(2000)
        f.update(range(0, 1003, 2))
        numbers = numpy.arange(1003)
        one_by_one = [key in f for key in range(1003)]
        self.assertEqual(sum(one_by_one[::2]), 502)
        self.assertLess(sum(one_by_one[1::2]), 50)
        self.assertEqual(f.contains_many(range(1003)), one_by_one)
        for first in (0, 1, 5):
            self.assertEqual(f.contains_many(numbers[first:]).tolist(), one_by_one[first:])
            said = [Presence.MAYBE if each else Presence.ABSENT for each in one_by_one[first:]]
            self.assertEqual(f.presence_many(numbers[first:]).tolist(), said)
        was_new = f.add_many(numbers)
        self.assertEqual(was_new[::2].sum(), 0)
        self.assertEqual(was_new.sum(), len(f) - 502)

    def test_arrays_of_arrow(self):
        texts = ["alice", "", "Ω漢"]
        for form in "uUzZ":
            same = [t.encode() for t in texts] if form in "zZ" else texts
            self.both(arrow.strings(texts, form), same)
            self.both(arrow.strings(["no"] + texts + ["no"], form, offset=1, length=3), same)
        for form, code in (("c", "b"), ("s", "h"), ("i", "i"), ("l", "q")):
            self.both(arrow.integers([1, -2, 3], form, code), [1, -2, 3])
            self.both(arrow.integers([9, 1, -2], form, code, offset=1, length=2), [1, -2])
        for form, code in (("C", "B"), ("S", "H"), ("I", "I")):
            self.both(arrow.integers([1, 200], form, code), [1, 200])
        self.both(arrow.Arrow("w:2", [None, b"abcdef"], 2, offset=1), [b"cd", b"ef"])
        self.both(arrow.strings(["a", "b"], validity=b"\x03", null_count=-1), ["a", "b"])

    def test_string_views_and_columns_of_arrow(self):
        texts = ["alice", "", "Ω漢", "exactly 12 b", "and thirteen.", "a long one that lies in a buffer", "x" * 5000]
        for form in ("vu", "vz"):
            same = [t.encode() for t in texts] if form == "vz" else texts
            self.both(arrow.views(texts, form), same)
            self.both(arrow.views(["no"] + texts + ["no"], form, offset=1, length=len(texts)), same)
        self.both(arrow.of_views([arrow.view(b"a"), arrow.view(b"b")], sizes=[]), ["a", "b"])
        column = arrow.strings(["no", "no", "a", "b", "no"], offset=1, length=4)
        self.both(arrow.table(column, offset=1, length=2), ["a", "b"])
        self.both(arrow.table(arrow.integers([1, -2])), [1, -2])

    def test_dictionaries_of_arrow(self):
        texts = ["alice", "", "Ω漢", "a long one that lies in a buffer"]
        for form in "uUzZ":
            same = [t.encode() for t in texts] if form in "zZ" else texts
            self.both(arrow.numbered([0, 3, 1, 2, 3], arrow.strings(texts, form)), [same[i] for i in (0, 3, 1, 2, 3)])
        self.both(arrow.numbered([3, 0], arrow.views(texts)), [texts[3], texts[0]])
        self.both(arrow.numbered([3, 0], arrow.views(texts, "vz")), [texts[3].encode(), texts[0].encode()])
        self.both(arrow.numbered([1, 0], arrow.Arrow("w:2", [None, b"abcd"], 2)), [b"cd", b"ab"])
        self.both(arrow.numbered([0], arrow.Arrow("w:0", [None, None], 1)), [b""])
        self.both(arrow.numbered([1, 1, 0], arrow.integers([-5, 2**40])), [2**40, 2**40, -5])
        self.both(arrow.numbered([1, 0], arrow.integers([-5, 7], "c", "b")), [7, -5])
        for form, code in (("c", "b"), ("C", "B"), ("s", "h"), ("S", "H"), ("i", "i"), ("I", "I"), ("l", "q"), ("L", "Q")):
            self.both(arrow.numbered([2, 0], arrow.strings(texts), form, code), [texts[2], texts[0]])
        many = arrow.strings([f"key {i}" for i in range(256)])
        self.both(arrow.numbered([200, 255], many, "C", "B"), ["key 200", "key 255"])

    def test_parts_of_dictionaries_of_arrow(self):
        words = arrow.strings(["no", "a", "b", "no"], offset=1, length=2)
        self.both(arrow.numbered([9, 1, 0, 9], words, offset=1, length=2), ["b", "a"])
        self.both(arrow.table(arrow.numbered([9, 9, 1, 9], words, offset=1), offset=1, length=1), ["b"])
        self.both(arrow.numbered([1, 0], words, validity=b"\x03", null_count=-1), ["b", "a"])
        half = arrow.strings(["no", "a", "b"], validity=b"\x02", null_count=1)
        self.both(arrow.numbered([1, 1], half), ["a", "a"])  # whose others nobody asks for
        self.both(arrow.numbered([0], arrow.strings(["no", "", "b"], offset=1, length=2, validity=b"\x02", null_count=1)), [""])
        self.both(arrow.numbered([], arrow.strings([])), [])

    def test_dictionaries_of_arrow_that_tell_no_keys_are_refused(self):
        f = BloomFilter(1000)
        words = arrow.strings(["a", "b"])
        for wrong, said in (
            (arrow.numbered([0, 2], words), "key 1 has number 2 in a dictionary of 2$"),
            (arrow.numbered([-1], words), "key 0 has number -1 in"),
            (arrow.numbered([-1], words, "c", "b"), "key 0 has number -1 in"),
            (arrow.numbered([2**64 - 1], words, "L", "Q"), "key 0 has number"),
            (arrow.numbered([2], arrow.integers([1, 2])), "key 0 has number 2 in"),
            (arrow.numbered([1], arrow.strings(["a", "b", "c"], offset=1, length=1)), "key 0 has number 1 in"),
            (arrow.numbered([0], arrow.strings([])), "key 0 has number 0 in a dictionary of 0"),
            (arrow.numbered([0], arrow.Arrow("vu", [None, b"", b""], 0)), "in a dictionary of 0"),
            (arrow.numbered([0, 1], words, validity=b"\x01", null_count=1), "key 1 is null"),
            (arrow.numbered([0, 1], words, validity=b"\x01", null_count=-1), "key 1 is null"),
            (arrow.numbered([0, 1], arrow.strings(["a", "b"], validity=b"\x01", null_count=1)), "key 1 is null"),
            (arrow.numbered([0], arrow.integers([1, 2], offset=1, length=1, validity=b"\x01", null_count=-1)), "is null"),
            (arrow.numbered([0], arrow.strings(["a"], length=-1)), "negative"),
            (arrow.numbered([0], arrow.strings(["a"], offset=-1)), "negative"),
            (arrow.numbered([0], arrow.strings(["a"], offset=2**62)), "more than there can be"),
            (arrow.numbered([0], arrow.Arrow("u", [None, None, None], 3)), "no buffer"),
            (arrow.numbered([0], arrow.Arrow("u", [None, struct.pack("2i", 5, 2), b"abcdef"], 1)), "outside of its bytes"),
            (arrow.numbered([0], arrow.Arrow("u", [None, struct.pack("2i", -1, 2), b"abcdef"], 1)), "outside of its bytes"),
            (arrow.numbered([0], arrow.Arrow("u", [None, struct.pack("3i", 0, 9, 2), b"abcdef"], 2)), "outside of its bytes"),
            (arrow.numbered([0], arrow.Arrow("U", [None, struct.pack("3q", 0, 2**40, 2), b"abcdef"], 2)), "outside of its bytes"),
            (arrow.numbered([0], arrow.Arrow("u", [None, struct.pack("2i", 0, 2), None], 1)), "outside of its bytes"),
            (arrow.numbered([0], arrow.of_views([arrow.view(b"abcd", length=20, at=1)], [b"x" * 20])), "outside of its buffers"),
            (arrow.numbered([0], arrow.of_views([arrow.view(b"abcd", length=-1)], [b"x" * 20])), "outside of its buffers"),
        ):
            with self.assertRaisesRegex(ValueError, said):
                f.contains_many(wrong)
        self.assertEqual((len(f), f.keys), (0, None))

    def test_streams_of_arrow(self):
        def chunks(form):
            return [arrow.views(["a", "b" * 20], form), arrow.views([], form), arrow.views(["c" * 13, "d", "e"], form)]

        self.each_way(lambda: arrow.stream(*chunks("vu")), ["a", "b" * 20, "c" * 13, "d", "e"])
        self.each_way(lambda: arrow.stream(*map(arrow.table, chunks("vz"))), [b"a", b"b" * 20, b"c" * 13, b"d", b"e"])
        self.each_way(lambda: arrow.stream(*[arrow.integers([i, i + 1], "i", "i") for i in (1, 3)]), [1, 2, 3, 4])
        self.each_way(lambda: arrow.Stream(arrow.strings([]), []), [])
        dictionaries = [arrow.numbered([1, 0, 1], arrow.views(["a", "b" * 20])), arrow.numbered([0], arrow.views(["c"]))]
        self.each_way(lambda: arrow.stream(*dictionaries), ["b" * 20, "a", "b" * 20, "c"])
        self.each_way(lambda: arrow.stream(*map(arrow.table, dictionaries)), ["b" * 20, "a", "b" * 20, "c"])
        numbers = list(range(-500, 10_000))
        f = BloomFilter(20_000)
        f.update(n for n in numbers if n % 3 == 0)
        asked = arrow.stream(*[arrow.integers(numbers[i : i + 1000]) for i in range(0, len(numbers), 1000)])
        self.assertEqual(f.contains_many(asked).tolist(), [n in f for n in numbers])
        self.assertEqual((asked.given, asked.released), (12, 12))
        with self.assertRaisesRegex(TypeError, "not a stream"):
            BloomFilter.build(arrow.stream(arrow.integers([1])), kind="static")

    def test_a_stream_that_breaks_off_is_given_back_and_leaves_a_doubt(self):
        ones = arrow.integers([1])
        for make, error, said in (
            (lambda: arrow.stream(ones, error=5), OSError, "failed: the wire broke$"),
            (lambda: arrow.stream(ones, error=5, message=None), OSError, "failed: Input/output error$"),
            (lambda: arrow.Stream(None, [ones]), OSError, "the wire broke"),
            (lambda: arrow.Stream("", [ones]), TypeError, "without a schema"),
            (lambda: arrow.stream(ones, arrow.integers([1], validity=b"\0", null_count=-1)), ValueError, "key 0 is null"),
            (lambda: arrow.stream(ones, arrow.integers([1], length=-1)), ValueError, "negative"),
            (lambda: arrow.stream(ones, arrow.Arrow("l", [], 1)), TypeError, "without buffers"),
            (lambda: arrow.Stream(arrow.strings(["a"]), [ones]), TypeError, "other buffers"),
        ):
            f = BloomFilter(1000)
            given = make()
            with self.assertRaisesRegex(error, said):
                f.update(given)
            self.assertEqual(given.given, given.released)
            self.assertIn(7, f)
            self.assertEqual(f.presence(7), Presence.UNKNOWN)
        given = arrow.stream(ones)
        given.struct.release = arrow.ReleaseStream()
        with self.assertRaisesRegex(ValueError, "released before"):
            f.contains_many(given)

    def test_arrays_that_are_no_keys_are_refused(self):
        def long(first, length=20, **more):
            return arrow.view(first, length=length, **more)

        without = arrow.numbered([0], arrow.strings(["a"]))
        without._array.dictionary = None
        f = BloomFilter(1000)
        for wrong in (
            numpy.array([1.5]),
            numpy.array([True]),
            numpy.array([1 + 2j]),
            numpy.array([1], dtype=">i8"),
            numpy.array(["2020-01-01"], dtype="M8[D]"),
            numpy.zeros(3, dtype=[("a", "i8")]),
            numpy.array([None]),
            array.array("d", [1]),
            "text",
            b"bytes",
            bytearray(b"bytes"),
            5,
            arrow.Arrow("b", [None, b"\x01"], 1),
            arrow.Arrow("g", [None, bytes(8)], 1),
            arrow.Arrow("+s", [None], 1),
            arrow.numbered([0], arrow.Arrow("b", [None, b"\x01"], 1)),
            arrow.numbered([0], arrow.table(arrow.strings(["a"]))),
            arrow.numbered([0], arrow.numbered([0], arrow.strings(["a"]))),
            arrow.strings(["a"], dictionary=arrow.strings(["a"])),
            arrow.Arrow("", [None, bytes(8)], 1, dictionary=arrow.strings(["a"])),
            without,
            arrow.Arrow("i", [], 1),
            arrow.Arrow("w:", [None, b"abcd"], 1),
            arrow.Arrow("w:4x", [None, b"abcd"], 1),
            arrow.Arrow("w:-1", [None, b"abcd"], 1),
            arrow.Arrow("w:9223372036854775807", [None, b"abcd"], 2),
            arrow.Arrow("vu", [None, bytes(16)], 1),
            arrow.table(),
            arrow.table(arrow.integers([1]), arrow.integers([2])),
            arrow.table(arrow.table(arrow.integers([1]))),
            arrow.Arrow("+s", [None], 1, children=[arrow.Arrow("l", [], 1)]),
        ):
            with self.assertRaises(TypeError):
                f.update(wrong)
            with self.assertRaises(TypeError):
                f.contains_many(wrong)
        for wrong in (
            numpy.zeros((2, 2), dtype="i8"),
            arrow.strings(["a", "b"], validity=b"\x01", null_count=1),
            arrow.strings(["a"], offset=-1),
            arrow.strings(["a"], length=-1),
            arrow.strings(["a"], released=True),
            arrow.Arrow("u", [None, b"\x05\0\0\0\x02\0\0\0", b"abcdef"], 1),
            arrow.Arrow("u", [None, b"\0\0\0\0\xff\xff\xff\xff", b"abcdef"], 1),
            arrow.Arrow("u", [None, None, None], 3),
            arrow.Arrow("U", [None, None, None], 3),
            arrow.Arrow("l", [None, None], 3),
            arrow.Arrow("i", [None, None], 3),
            arrow.Arrow("w:4", [None, None], 3),
            arrow.Arrow("w:4611686018427387905", [None, b"abcdef"], 2),
            arrow.Arrow("w:4", [None, b"abcdef"], 2**61, offset=2**61),
            arrow.Arrow("l", [None, bytes(8)], 1, offset=2**62),
            arrow.Arrow("u", [None, bytes(8), b""], 1, offset=2**62),
            arrow.Arrow("u", [None, bytes(8), b""], 2**62),
            arrow.Arrow("vu", [None, None, b""], 3),
            arrow.of_views([long(b"abcd", at=1)], [b"x" * 20]),
            arrow.of_views([long(b"abcd", at=-1)], [b"x" * 20]),
            arrow.of_views([long(b"abcd", at=2**31 - 1)], [b"x" * 20]),
            arrow.of_views([long(b"abcd", length=2**31 - 1)], [b"x" * 20]),
            arrow.of_views([long(b"abcd", length=-1)], [b"x" * 20]),
            arrow.of_views([long(b"abcd", buffer=1)], [b"x" * 20]),
            arrow.of_views([long(b"abcd", buffer=-1)], [b"x" * 20]),
            arrow.of_views([long(b"abcd")], [None], sizes=[20]),
            arrow.of_views([long(b"abcd")], [b"x" * 20], sizes=[-1]),
            arrow.Arrow("vu", [None, long(b"abcd"), b"x" * 20, None], 1),
            arrow.of_views([arrow.view(b"a")], validity=b"\0", null_count=1),
            arrow.of_views([arrow.view(b"a")], offset=2**60),
            arrow.table(arrow.integers([1]), validity=b"\0", null_count=1),
            arrow.table(arrow.integers([1, 2]), length=3),
            arrow.table(arrow.integers([1, 2]), offset=1, length=2),
            arrow.table(arrow.integers([1, 2]), offset=2**62, length=2),
            arrow.table(arrow.integers([1, 2]), length=-1),
            arrow.table(arrow.integers([1, 2], offset=-1), length=1),
            arrow.table(arrow.integers([1, 2], offset=2**62), length=1),
            numpy.array(["\ud800"]),
            numpy.ma.array([1, 2], mask=[False, True]),
        ):
            with self.assertRaises(ValueError):
                f.contains_many(wrong)
        with self.assertRaisesRegex(ValueError, r"key 1 has .*: U\+d800$"):
            f.contains_many(numpy.array(["a", "\ud800"]))
        self.assertEqual((len(f), f.keys), (0, None))

    def test_a_batch_that_failed_denies_nothing_until_acknowledged(self):
        f = BloomFilter(1000, keys="i64")
        f.add(1)
        with self.assertRaises(ValueError):
            f.update(["2", "three"])
        self.assertIn(2, f)
        self.assertEqual(f.presence(2), Presence.UNKNOWN)
        self.assertEqual(f.contains_many([1, 2]), [True, True])
        with self.assertRaises(pybloomery.InDoubtError):
            f.to_bytes()
        f.acknowledge()
        self.assertNotIn(2, f)
        self.assertIn(1, f)

    def test_whatever_a_batch_fails_of_nothing_is_denied_until_acknowledged(self):
        def broken():
            yield "a"
            raise OSError("the cursor broke")

        def changing():
            all_of = {"a": 1, "b": 2}
            for key in all_of:
                all_of[key * 2] = 1
                yield key

        class Unlucky:
            def __iter__(self):
                raise LookupError

        def second_piece(*last):
            yield from map(str, range(4096))
            yield from last

        for make in (
            broken,
            changing,
            Unlucky,
            lambda: ["a", "b", None],
            lambda: ["a", 2**64],
            lambda: ["a", "\ud800"],
            lambda: ["a", b"a"],
            lambda: [1, 2],
            lambda: "one text",
            lambda: 5,
            lambda: second_piece(5),
            lambda: second_piece(*range(5000)),
            lambda: second_piece("x", 5.5),
            lambda: numpy.array(["a", "\ud800"]),
            lambda: numpy.array([1.5]),
            lambda: numpy.array([[1]]),
            lambda: arrow.strings(["a", "b"], validity=b"\x01", null_count=1),
        ):
            f = BloomFilter(10_000, keys="text")
            for call in (f.update, f.add_many, lambda keys: f.update(["z"], keys)):
                with self.assertRaises(Exception):
                    call(make())
                self.assertIn("not in any of them", f)
                with self.assertRaises(pybloomery.InDoubtError):
                    f.to_bytes()
                for key in (5, b"\0", None, 2**64, "\ud800"):
                    with contextlib.suppress(TypeError, ValueError, OverflowError):
                        f.add(key)  # refused or not, it ends no doubt
                self.assertIn("not in any of them", f)
                f.acknowledge()
                self.assertNotIn("not in any of them", f)
            with self.assertRaises(Exception):
                f.contains_many(make())  # which only asks
            self.assertNotIn("not in any of them", f)

    def test_a_single_key_that_is_refused_leaves_no_doubt(self):
        texts, numbers = BloomFilter(1000, keys="text"), BloomFilter(1000, keys="u64")
        for f, keys in ((texts, [5, None, "\ud800"]), (numbers, [-1, "x", b"x", 2**64])):
            for key in keys:
                with self.assertRaises((TypeError, ValueError, OverflowError)):
                    f.add(key)
            self.assertNotIn("43", f)
            f.to_bytes()

    def test_a_signal_between_batches_loses_none_of_them(self):
        f = BloomFilter(1_000_000, kind="classic")

        class Rang(Exception):
            pass

        def ring(number, frame):
            raise Rang

        def first():
            yield 1
            signal.setitimer(signal.ITIMER_REAL, 0.001)

        before = signal.signal(signal.SIGALRM, ring)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        with self.assertRaises(Rang):
            f.update(first(), array.array("q", range(300_000)), [-1])
            time.sleep(10)
        self.assertIn(-1, f)
