# SPDX-License-Identifier: Apache-2.0
"""Files of C++ programs that have not said how keys are written: what they inserted is never absent."""
import pathlib
import shutil
import unittest

import numpy

import pybloomery
from pybloomery import BloomFilter, Presence
from support import Folder, command

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

    def test_eight_bytes_that_are_no_text_may_be_an_integer(self):
        eight = (42).to_bytes(8, "little")
        ways = {
            "add": lambda f: f.add(eight),
            "add_many": lambda f: f.add_many([b"alice", eight]),
            "an array": lambda f: f.add_many(numpy.array([42]).view("V8")),
            "update": lambda f: f.update([eight]),
        }
        for way, add in ways.items():
            for before in ([], ["alice"]):
                with self.subTest(way, before=before):
                    f = BloomFilter(1000)
                    f.update(before)
                    add(f)
                    self.assertEqual(f.keys, "unknown")
                    f.save("eight.bloom")
                    for g in (f, pybloomery.load("eight.bloom"), pybloomery.open("eight.bloom"), f.copy()):
                        self.assertEqual([key in g for key in (42, "42", eight, 43)], [True, True, True, False])
                    self.assertEqual(command("check", "eight.bloom", keys="42\n43\n").stdout, b"42\n")
        self.assertEqual(BloomFilter.build([eight, b"alice"]).keys, "unknown")
        self.assertEqual(BloomFilter.build([b"12345678"]).keys, "text")

    def test_eight_bytes_are_refused_where_a_file_says_texts(self):
        f = BloomFilter(1000)
        f.add("alice")
        f.save("texts.bloom")
        with pybloomery.open("texts.bloom", "r+") as f:
            for refused in (lambda: f.add((42).to_bytes(8, "little")), lambda: f.update([b"a", bytes(8)])):
                with self.assertRaisesRegex(pybloomery.KeyFormError, "cannot say that it holds both"):
                    refused()
            f.acknowledge()
            f.add(b"12345678")
        with pybloomery.open("texts.bloom") as f:
            self.assertEqual((f.keys, b"12345678" in f), ("text", True))

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
