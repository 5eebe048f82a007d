# SPDX-License-Identifier: Apache-2.0
"""Arrays of every dtype: their elements are keys as they are, or are refused by name."""
import io
import unittest

import numpy

from pybloomery import BloomFilter

DIGESTS = [bytes([i]) + bytes(range(1, 15)) + bytes([i]) for i in range(256)]
TEXTS = numpy.array(["alice", "bob"], dtype=object)


class Series:
    """A column as pandas has it: no buffer, a dtype, and an array of NumPy for who asks."""

    def __init__(self, values):
        self.values = numpy.asarray(values)
        self.dtype = self.values.dtype

    def __array__(self, *_):
        return self.values

    def __iter__(self):
        return iter(self.values.tolist())

    def mask(self):
        raise AssertionError("that is another method of pandas")


class DataFrame:
    """A table as pandas has it, where no pyarrow is: going through it gives names."""

    columns = ["name", "city"]

    def __iter__(self):
        return iter(self.columns)

    def __array__(self, *_):
        return numpy.array([["alice", "Graz"]], dtype=object)


class DataFrameOfArrow(DataFrame):
    def __arrow_c_stream__(self, requested=None):
        raise ImportError("`Import pyarrow` failed")


class Dtypes(unittest.TestCase):
    def test_digests_are_keys_of_all_their_bytes(self):
        f = BloomFilter(1000, 1e-6)
        self.assertEqual(f.update(numpy.frombuffer(b"".join(DIGESTS), dtype="V16")), 256)
        self.assertEqual([d.hex() for d in DIGESTS if d not in f], [])
        self.assertTrue(f.contains_many(numpy.frombuffer(b"".join(DIGESTS[::2]), dtype="V16")).all())
        every_other = numpy.frombuffer(b"".join(DIGESTS), dtype="V16")[::-2]
        self.assertTrue(f.contains_many(every_other).all())
        self.assertTrue(all(d in f for d in every_other))
        g = BloomFilter.build(numpy.frombuffer(b"".join(DIGESTS), dtype="V16"), 1e-6, kind="static")
        self.assertEqual(g.contains_many(DIGESTS), [True] * 256)

    def test_bytes_that_may_be_padding_are_refused(self):
        f = BloomFilter(1000)
        for call in (f.update, f.add_many, f.contains_many, f.presence_many, BloomFilter.build):
            with self.assertRaisesRegex(ValueError, r'key 0 of S16 ends in a zero byte.*view\("V16"\).*tolist\(\)'):
                call(numpy.frombuffer(b"".join(DIGESTS), dtype="S16"))
            with self.assertRaisesRegex(ValueError, "key 1 of S5 ends in a zero byte"):
                call(numpy.array([b"carol", b"bob"]))
        f.acknowledge()
        f.update(numpy.frombuffer(b"".join(DIGESTS[1:]), dtype="S16"))
        self.assertEqual(f.contains_many(DIGESTS[1:]), [True] * 255)

    def test_what_is_no_key_is_refused_by_its_dtype(self):
        f = BloomFilter(1000)
        for dtype in ("f2", "f4", "f8", "g", "c8", "c16", "?", ">i8", ">u4", ">i2", ">U3", "M8[D]", "m8[s]"):
            array = numpy.zeros(2, dtype=dtype)
            for call in (f.contains_many, f.add_many, f.update, BloomFilter.build):
                for given in (array, Series(array)):
                    with self.subTest(dtype=dtype, given=type(given)):
                        with self.assertRaises(TypeError) as refused:
                            call(given)
                        self.assertIn(f"not elements of dtype {array.dtype}", str(refused.exception))
        with self.assertRaisesRegex(TypeError, r"not elements of dtype \[\('a', '<i8'\)\]"):
            f.contains_many(numpy.zeros(2, dtype=[("a", "i8")]))
        with self.assertRaisesRegex(TypeError, "a key is a str, bytes or an int, not numpy.void"):
            f.contains(numpy.zeros(2, dtype=[("a", "i8")])[0])
        with self.assertRaisesRegex(TypeError, 'not elements of format "d"'):
            f.contains_many(memoryview(numpy.zeros(2)).cast("B").cast("d"))
        for given in (numpy.zeros((2, 2), "i8"), numpy.array([["a"]], dtype=object), numpy.array(5), Series([["a"]])):
            with self.assertRaisesRegex(ValueError, "keys come in one dimension, not "):
                f.contains_many(given)

    def test_every_other_dtype_is_what_its_elements_are(self):
        for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "S2", "U2", "V2", "O"):
            made = numpy.arange(10, 99)
            array = made.astype("S2").view(code) if code == "V2" else made.astype(code)
            for given in (array, Series(array)):
                f = BloomFilter(1000)
                self.assertEqual(f.update(given), 89, code)
                self.assertTrue(all(f.contains_many(array.tolist())), code)


class Shapes(unittest.TestCase):
    def test_an_array_is_answered_by_an_array(self):
        f = BloomFilter(1000)
        for given in (TEXTS, Series(TEXTS), Series(["alice", "bob"])):
            for call, dtype in ((f.add_many, "bool"), (f.contains_many, "bool"), (f.presence_many, "uint8")):
                answers = call(given)
                self.assertIsInstance(answers, numpy.ndarray)
                self.assertEqual((answers.dtype, answers.shape), (dtype, (2,)))
            self.assertTrue(f.contains_many(given).all())
        self.assertEqual(f.contains_many(TEXTS.tolist()), [True, True])

    def test_an_empty_array_is_answered_by_an_empty_array(self):
        f = BloomFilter(1000)
        for code in ("f8", "i8", "S4", "U4", "V4", "O"):
            for given in (numpy.array([], dtype=code), Series(numpy.array([], dtype=code))):
                for call, dtype in ((f.add_many, "bool"), (f.contains_many, "bool"), (f.presence_many, "uint8")):
                    answers = call(given)
                    self.assertIsInstance(answers, numpy.ndarray)
                    self.assertEqual((answers.dtype, answers.shape), (dtype, (0,)))
        self.assertEqual(f.update(numpy.array([])), 0)
        self.assertIsNone(f.keys)

    def test_a_table_is_not_its_column_names(self):
        f = BloomFilter(1000)
        for table in (DataFrame(), DataFrameOfArrow()):
            for call in (f.add_many, f.update, f.contains_many, f.presence_many, BloomFilter.build):
                with self.assertRaisesRegex(TypeError, r'give one column, as frame\["name"\]'):
                    call(table)
        self.assertEqual(len(f), 0)

    def test_a_file_is_not_its_lines_with_their_ends(self):
        f = BloomFilter(1000)
        for make in (lambda: io.StringIO("alice\nbob\n"), lambda: io.BytesIO(b"alice\n"), lambda: open(__file__)):
            for call in (f.add_many, f.update, f.contains_many, BloomFilter.build):
                with make() as file, self.assertRaisesRegex(TypeError, r"lines with their ends.*line\.rstrip"):
                    call(file)
        f.acknowledge()
        f.update(line.rstrip("\n") for line in io.StringIO("alice\nbob\n"))
        self.assertEqual(f.contains_many(["alice", "bob", "bob\n"]), [True, True, False])


if __name__ == "__main__":
    unittest.main()
