# SPDX-License-Identifier: Apache-2.0
"""What people expect of a package for Python, beside keys."""
import datetime
import errno
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import unittest
import warnings

import numpy

import pybloomery
from pybloomery import BloomFilter, OverfilledWarning
from support import Folder


class LineEnds(unittest.TestCase):
    def test_lines_that_came_with_their_ends_are_warned_of(self):
        f = BloomFilter(1000)
        for lines in (["alice\n", "bob\n"], ["alice\r\n"], (line for line in ["a\r"]), [b"%d\n" % i for i in range(4)]):
            with self.assertWarnsRegex(UserWarning, "end in line ends"):
                BloomFilter(1000).update(lines)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            f.update(["alice", "bob\n"])
            f.update([])
            BloomFilter(1000).update([bytes(7) + b"\n"])
            g = BloomFilter(1000)
            with self.assertRaises(UserWarning):
                g.update(["carol\n"])
            self.assertEqual(len(g), 0)


class FileErrors(Folder):
    def check(self, kind, number, path, call):
        with self.assertRaises(kind) as raised:
            call()
        error = raised.exception
        self.assertIsInstance(error, pybloomery.StoreError)
        self.assertEqual((error.errno, os.path.abspath(error.filename)), (number, os.path.abspath(path)))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again)), (type(error), str(error)))
        return str(error)

    def test_a_file_that_is_not_there(self):
        for location in ("nothing.bloom", "folder/nothing.bloom", "guava:nothing.bin", pathlib.Path("nothing.bloom")):
            path = str(location).rpartition(":")[2]
            for call in (pybloomery.open, pybloomery.load, BloomFilter.load, lambda l: pybloomery.open(l, "r+")):
                said = self.check(FileNotFoundError, errno.ENOENT, path, lambda: call(location))
                self.assertRegex(said, r"^\[Errno 2\] cannot open it.*: No such file or directory: '.*'$")
        self.check(FileNotFoundError, errno.ENOENT, "nothing.bloom", lambda: pybloomery.open_shared("nothing.bloom"))
        self.check(FileNotFoundError, errno.ENOENT, "no/f.bloom", lambda: BloomFilter(10).save("no/f.bloom"))

    def test_other_errors_of_the_system(self):
        os.mkdir("folder")
        BloomFilter(10).save("f.bloom")
        self.check(IsADirectoryError, errno.EISDIR, "folder", lambda: pybloomery.open("folder"))
        self.check(FileExistsError, errno.EEXIST, "f.bloom", lambda: BloomFilter(10).save("f.bloom", must_be_new=True))
        self.check(NotADirectoryError, errno.ENOTDIR, "f.bloom/g", lambda: pybloomery.open("f.bloom/g"))
        if os.geteuid() != 0:
            os.chmod("f.bloom", 0)
            self.check(PermissionError, errno.EACCES, "f.bloom", lambda: pybloomery.open("f.bloom"))

    def test_who_writes_the_file_is_named(self):
        BloomFilter(1000).save("f.bloom")
        with pybloomery.open("f.bloom", "r+"):
            with self.assertRaisesRegex(pybloomery.StoreError, "this process is writing this file"):
                pybloomery.open("f.bloom", "r+")
            with self.assertRaisesRegex(pybloomery.StoreError, "this process is writing this file"):
                BloomFilter(1000).save("f.bloom")
            script = "import pybloomery; pybloomery.open('f.bloom', 'r+')"
            other = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
            self.assertIn(b"another process is writing this file", other.stderr)
        with pybloomery.open_shared("f.bloom"):
            with self.assertRaisesRegex(pybloomery.StoreError, "this process is writing this file, or shares it"):
                pybloomery.open("f.bloom", "r+")
        pybloomery.open("f.bloom", "r+").close()


class Windows(unittest.TestCase):
    def test_a_window_is_a_time_as_people_write_it(self):
        for window in (datetime.timedelta(days=1), "24h", "1d", "1440m", "86400s", "86400000ms"):
            f = BloomFilter(1000, kind="windowed", window=window)
            self.assertEqual(f.to_bytes()[:64], BloomFilter(1000, kind="windowed", window_ms=86_400_000).to_bytes()[:64])
            self.assertNotEqual(f, BloomFilter(1000, kind="windowed", window_ms=86_400_001))
        self.assertIn("a", BloomFilter.build(["a"], kind="windowed", window="2w"))
        pybloomery.size_of(1000, kind="windowed", window="2w")

    def test_what_is_no_window_is_refused(self):
        for wrong in ("day", "24", "1.5h", "-1h", "", "24 h", "0s", datetime.timedelta(0), datetime.timedelta(-1), "99999999999999999w"):
            with self.assertRaisesRegex(ValueError, "window"):
                BloomFilter(1000, kind="windowed", window=wrong)
        for wrong in (86400, 1.5, b"24h"):
            with self.assertRaisesRegex(TypeError, 'window is a timedelta or a text such as "24h", not '):
                BloomFilter(1000, kind="windowed", window=wrong)
        with self.assertRaisesRegex(TypeError, "give one of them"):
            BloomFilter(1000, kind="windowed", window="24h", window_ms=1)


class Equality(Folder):
    def test_filters_are_equal_where_their_bits_mean_the_same(self):
        for kind in ("blocked", "classic", "counting", "scalable", "static"):
            f, g = (BloomFilter.build(["a", "b"], kind=kind, capacity=1000) for _ in range(2))
            self.assertEqual(f, g, kind)
            self.assertEqual(f, f.copy())
            self.assertEqual(pickle.loads(pickle.dumps(f)), f)
            f.save("f.bloom")
            self.assertEqual(pybloomery.open("f.bloom", forgetting=True), f)
            self.assertNotEqual(f, BloomFilter.build(["a", "c"], kind=kind, capacity=1000))
            if kind != "static":
                self.assertNotEqual(f, BloomFilter.build(["a", "b"], kind=kind, capacity=2000))
                self.assertNotEqual(f, BloomFilter.build(["a", "b"], kind=kind, capacity=1000, seed=1))
        self.assertNotEqual(BloomFilter(1000, keys="text"), BloomFilter(1000, keys="i64"))
        self.assertNotEqual(BloomFilter(1000), BloomFilter(1000, kind="classic"))
        self.assertFalse(BloomFilter(1000) == 5)
        self.assertNotEqual(BloomFilter(1000), {"a"})

    def test_what_changes_has_no_hash_and_closed_ones_equal_themselves(self):
        f, g = BloomFilter(1000), BloomFilter(1000)
        with self.assertRaises(TypeError):
            hash(f)
        g.close()
        self.assertEqual(g, g)
        self.assertNotEqual(f, g)
        self.assertNotEqual(g, f)


class Facts(Folder):
    def test_its_size_has_its_bits(self):
        f = BloomFilter(1_000_000, 0.01)
        bytes_of_bits = f.info()["byte_count"]
        self.assertGreater(bytes_of_bits, 1_000_000)
        self.assertLess(abs(sys.getsizeof(f) - bytes_of_bits), 1000)
        f.save("f.bloom")
        self.assertLess(sys.getsizeof(pybloomery.open("f.bloom")), 1000)
        f.close()
        self.assertLess(sys.getsizeof(f), 1000)

    def test_the_predicted_rate_rises(self):
        f = BloomFilter(1000, 0.01)
        self.assertEqual(f.predicted_rate, 0)
        f.update(range(900))
        self.assertTrue(0 < f.predicted_rate < 0.01)
        f.save("f.bloom")
        self.assertEqual(pybloomery.open("f.bloom").predicted_rate, f.predicted_rate)
        with warnings.catch_warnings(record=True):
            f.update(range(5000))
        self.assertGreater(f.predicted_rate, 0.3)

    def test_a_representation_says_where_how_full_and_what_is_doubted(self):
        f = BloomFilter(1000)
        self.assertEqual(repr(f), "<BloomFilter: 0 of 1000 keys, 0% full>")
        f.update(range(250))
        self.assertEqual(repr(f), "<BloomFilter: 250 of 1000 keys, 25% full>")
        f.save("f.bloom")
        for mode in ("r", "r+"):
            with pybloomery.open("f.bloom", mode) as g:
                self.assertRegex(repr(g), rf"^<BloomFilter: '/.*f\.bloom', mode '{mode.replace('+', '.')}', 250 of 1000 keys, 25% full>$")
        with pybloomery.open_shared("f.bloom") as g:
            self.assertRegex(repr(g), "f.bloom', mode 'shared', 250 of 1000 keys, 25% full>$")
        self.assertFalse(f.in_doubt)
        with self.assertRaises(TypeError):
            f.update([1, None])
        self.assertTrue(f.in_doubt)
        self.assertRegex(repr(f), "in doubt: keys may be missing, see acknowledge")
        f.acknowledge()
        self.assertFalse(f.in_doubt)
        f.close()
        self.assertEqual(repr(f), "<BloomFilter, closed>")
        self.assertRegex(repr(type("Users", (BloomFilter,), {})(10)), "^<Users: 0 of 10 keys")

    def test_load_makes_the_class_that_is_asked(self):
        class Users(BloomFilter):
            pass

        BloomFilter(1000).save("f.bloom")
        self.assertIs(type(Users.load("f.bloom")), Users)
        self.assertIs(type(BloomFilter.load("f.bloom", keys="text")), BloomFilter)


class Overfilled(Folder):
    def warned(self, call):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        self.assertTrue(all(w.category is OverfilledWarning and w.filename == __file__ for w in caught))
        return [str(w.message) for w in caught]

    def fill(self, f, first, last):
        for key in range(first, last):
            f.add(key)

    def test_one_warning_comes_with_the_first_key_too_many(self):
        for make in (self.made, self.opened):
            for kind in ("blocked", "classic", "counting"):
                f = make(kind)
                self.assertEqual(self.warned(lambda: f.update(range(100))), [])
                said = self.warned(lambda: self.fill(f, 100, 300))
                self.assertEqual(len(said), 1)
                self.assertRegex(said[0], "^101 keys in a filter for 100: more of its answers are wrongly True")
                self.assertEqual(self.warned(lambda: f.update(range(1000))), [])
                f.close()
        for insert in (lambda f: f.update(range(500)), lambda f: f.add_many(numpy.arange(500)), lambda f: f.update([1], range(500))):
            self.assertEqual(len(self.warned(lambda: insert(BloomFilter(100, 1e-6)))), 1)

    def made(self, kind):
        return BloomFilter(100, 1e-9, kind=kind)

    def opened(self, kind):
        BloomFilter(100, 1e-9, kind=kind, keys="i64").save(f"{kind}.bloom")
        return pybloomery.open(f"{kind}.bloom", "r+", forgetting=True)

    def test_what_grows_or_forgets_is_never_too_full(self):
        for kind in ("scalable", "windowed"):
            self.assertEqual(self.warned(lambda: self.fill(BloomFilter(100, kind=kind), 0, 1000)), [])

    def test_a_warning_that_is_an_error_leaves_no_doubt(self):
        f = BloomFilter(10, 1e-6)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(OverfilledWarning):
                f.update(range(100))
        self.assertFalse(f.in_doubt)
        self.assertEqual(f.contains_many(range(100)), [True] * 100)


def add_and_die(path):
    f = pybloomery.open(path, "r+")
    f.add("alice")
    f.flush()
    os.kill(os.getpid(), 9)


class Recovering(Folder):
    def test_a_file_whose_writer_died_is_made_whole(self):
        BloomFilter(1000).save("f.bloom")
        child = multiprocessing.get_context("fork").Process(target=add_and_die, args=("f.bloom",))
        child.start()
        child.join()
        with self.assertRaisesRegex(pybloomery.FormatError, "not closed cleanly"):
            pybloomery.load("f.bloom")
        pybloomery.recover("f.bloom")
        self.assertEqual(pybloomery.load("f.bloom").contains_many(["alice", "bob"]), [True, False])
        pybloomery.recover("f.bloom")
        with pybloomery.open("f.bloom", "r+"):
            with self.assertRaises(pybloomery.StoreError):
                pybloomery.recover("f.bloom")
        with self.assertRaises(FileNotFoundError):
            pybloomery.recover("nothing.bloom")


if __name__ == "__main__":
    unittest.main()
