# SPDX-License-Identifier: Apache-2.0
"""Files of C++ programs that have not said how keys are written: what they inserted is never absent."""
import pathlib
import shutil
import unittest

import numpy

import pybloomery
from pybloomery import BloomFilter, Presence
from support import Folder

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden/unknown_form"
TEXTS = ["alice", "Ω", "42", "-7", "12345678"]
INTEGERS = [1000, -(10**12), 77]
SPELT = [42, -7, 12345678]  # what was inserted as text, asked for as integers
NEVER = ["bob", "43", 43, -8]


class UnknownForm(Folder):
    def filters(self):
        for kind in ("blocked", "classic", "counting"):
            file = f"{kind}.bloom"
            shutil.copy(GOLDEN / file, file)
            yield file, BloomFilter.from_bytes(pathlib.Path(file).read_bytes())
            yield file, pybloomery.load(file)
            yield file, pybloomery.open(file, forgetting=True)
            with pybloomery.open(file, "r+", forgetting=True) as f:
                yield file, f
            yield file, pybloomery.load(file).copy()

    def test_texts_and_integers_are_found_as_either(self):
        for file, f in self.filters():
            with self.subTest(file):
                self.assertEqual(f.keys, "unknown")
                for keys in (TEXTS + ["007"], [t.encode() for t in TEXTS], INTEGERS, SPELT, list(map(str, INTEGERS))):
                    self.assertEqual([key for key in keys if key not in f], [])
                    self.assertEqual(f.contains_many(keys), [True] * len(keys))
                    self.assertEqual(set(f.presence_many(keys)), {Presence.MAYBE})
                self.assertTrue(f.contains_many(numpy.array(INTEGERS + SPELT)).all())
                self.assertTrue(f.contains_many(numpy.array(TEXTS)).all())
                self.assertTrue(f.contains_many(numpy.array(INTEGERS + SPELT, dtype="i8").view("V8")[:3]).all())
                for key in (2**64 - 1, -1, str(2**64 - 1), bytes([255] * 8), (77).to_bytes(8, "little")):
                    self.assertIn(key, f)
                self.assertEqual([key for key in NEVER if key in f], [])

    def test_a_key_is_removed_in_the_form_that_is_there(self):
        for given in (42, "42", 1000, "1000", -7, "-7"):
            f = pybloomery.load(GOLDEN / "counting.bloom")
            f.remove(given)
            self.assertNotIn(given, f)
            with self.assertRaises(KeyError):
                f.remove(given)
        f = pybloomery.load(GOLDEN / "counting.bloom")
        f.add(42)
        with self.assertRaisesRegex(pybloomery.KeyFormError, "as a text and as an integer"):
            f.remove(42)
        self.assertIn(42, f)

    def test_what_is_merged_with_it_is_of_unknown_form(self):
        f = pybloomery.load(GOLDEN / "blocked.bloom")
        g = BloomFilter(100, 1e-6)
        g |= f
        self.assertEqual(g.keys, "unknown")
        self.assertIn(42, g)
        self.assertIn("1000", BloomFilter.from_bytes(g.to_bytes()))

    def test_a_file_that_says_nothing_takes_both_while_it_is_open(self):
        for name, opened in (("r+", lambda file: pybloomery.open(file, "r+")), ("shared", pybloomery.open_shared)):
            with self.subTest(name):
                BloomFilter(1000).save(f"{name}.bloom")
                with opened(f"{name}.bloom") as f:
                    f.add("alice")
                    f.add(42)
                    self.assertEqual(f.keys, "unknown")
                f = pybloomery.load(f"{name}.bloom")
                self.assertEqual((f.keys, "alice" in f, 42 in f, "42" in f, 43 in f), ("unknown", True, True, True, False))


if __name__ == "__main__":
    unittest.main()
