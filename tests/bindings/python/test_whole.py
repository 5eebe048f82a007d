# SPDX-License-Identifier: Apache-2.0
"""Whole filters: unions, copies, files, formats, places; and what the documentation says."""
import ast
import contextlib
import copy
import doctest
import os
import pickle
import signal
import socket
import subprocess
import time

import numpy

import pybloomery
from pybloomery import BloomFilter, Presence
from support import Folder, KINDS, command


class Whole(Folder):
    def test_union(self):
        a, b = BloomFilter(1000), BloomFilter(1000)
        a.add("a")
        b.add("b")
        both = a | b
        self.assertEqual(both.contains_many(["a", "b", "c"]), [True, True, False])
        self.assertNotIn("b", a)
        a |= b
        self.assertIn("b", a)
        a |= a
        for others in ({"x"}, iter(["x"]), numpy.array(["x"])):
            self.assertIn("x", b | others)
        self.assertIn("x", {"x"} | b)
        self.assertNotIn("x", b)
        both = a.union(b, ["x"], {"y"})
        self.assertEqual(both.contains_many(["a", "b", "x", "y", "z"]), [True] * 4 + [False])
        self.assertEqual(a.union(), a)
        a |= ["x"]
        self.assertIn("x", a)
        with self.assertRaises(pybloomery.IncompatibleError):
            a | BloomFilter(2000)
        with self.assertRaises(pybloomery.IncompatibleError):
            a |= BloomFilter(2000)
        a.acknowledge()
        for nothing in (5, None, "x", b"x"):
            with self.assertRaises(TypeError):
                a | nothing

    def test_a_union_that_failed_denies_nothing_until_acknowledged(self):
        doubtful, closed = BloomFilter(1000, keys="i64"), BloomFilter(1000, keys="i64")
        with self.assertRaises(ValueError):
            doubtful.update(["x"])
        closed.close()
        BloomFilter(1000, keys="i64").save("damaged.bloom")
        damaged = pybloomery.open("damaged.bloom")
        with open("damaged.bloom", "r+b") as file:
            file.seek(-100, os.SEEK_END)
            file.write(b"rubbish" * 10)
        for other in (doubtful, closed, damaged, BloomFilter(2000, keys="i64"), BloomFilter(1000, keys="text")):
            into = BloomFilter(1000, keys="i64")
            with self.assertRaises((pybloomery.Error, ValueError)):
                into |= other
            for key in ("no integer", b"bytes", None):
                with self.assertRaises((TypeError, ValueError)):
                    into.add(key)
            self.assertIn(5, into)
            with self.assertRaises(pybloomery.InDoubtError):
                into.save("into.bloom")
            into.clear()
            self.assertNotIn(5, into)
            into.save("into.bloom")

    def test_a_union_that_failed_leaves_the_form_of_an_empty_filter_open(self):
        integers = BloomFilter(1000, keys="i64", kind="classic")
        integers.add(1)
        into = BloomFilter(1000)
        with self.assertRaises(pybloomery.IncompatibleError):
            into |= integers
        self.assertIsNone(into.keys)
        into.acknowledge()
        into.add("a")
        self.assertNotIn("b", into)

    def test_a_key_is_not_known_to_be_absent_in_doubt(self):
        f = BloomFilter(1000, kind="counting")
        f.add("a")
        with self.assertRaises(TypeError):
            f.update(["b", None])
        with self.assertRaises(pybloomery.InDoubtError):
            f.remove("b")
        f.discard("b")
        f.remove("a")
        f.acknowledge()
        with self.assertRaises(KeyError):
            f.remove("b")

    def test_numbers_that_do_not_fit_are_refused(self):
        for generations in (2**32 + 4, 2**64, -1):
            with self.assertRaisesRegex(ValueError, "generations is a whole number below 2"):
                BloomFilter(1000, kind="windowed", generations=generations)
        self.assertIn("a", BloomFilter.build(["a"], kind="windowed", generations=7))

    def test_what_is_no_value_is_refused_by_name(self):
        for name in ("expansion", "tightening", "rate"):
            with self.assertRaisesRegex(ValueError, name):
                BloomFilter(1000, kind="scalable", **{name: 0})
        with self.assertRaisesRegex(ValueError, "Its name is empty"):
            pybloomery.open("")

    def test_texts_are_hashed_as_told(self):
        texts = [f"user:{i}:session" for i in range(100)]
        for hash in ("product", "aes", "xxh3"):
            f = BloomFilter(1000, hash=hash)
            f.update(texts)
            self.assertEqual(f.contains_many(texts), [True] * 100)
        with self.assertRaisesRegex(ValueError, "md5"):
            BloomFilter(1000, hash="md5")

    def test_pickles_and_copies(self):
        for kind in KINDS:
            f = BloomFilter(1000, kind=kind, secret=True)
            f.update(range(100))
            for g in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f), f.copy()):
                self.assertEqual(g.contains_many(range(100)), [True] * 100)
                self.assertEqual(g.keys, "i64")
                g.add(1000)
                self.assertNotIn(1000, f)
        self.assertIn("2a", BloomFilter.build(["2a"], keys="hex"))
        self.assertIn("42", BloomFilter.build([42], keys="i64"))
        f = BloomFilter.build(["a"], kind="static")
        self.assertIn("a", pickle.loads(pickle.dumps(f)))
        g = BloomFilter(1000, format="guava")
        g.add("a")
        self.assertIn("a", pickle.loads(pickle.dumps(g)))

    def test_files_and_context_managers(self):
        f = BloomFilter(1000)
        f.add("a")
        f.save("users.bloom")
        with self.assertRaises(OSError):
            f.save("users.bloom", must_be_new=True)
        with pybloomery.open("users.bloom", "r+") as g:
            self.assertIs(g.add("b"), True)
            with self.assertRaises(TypeError):
                pickle.dumps(g)
        self.assertTrue(g.closed)
        BloomFilter(1000, kind="scalable").save("grows.bloom")
        g = pybloomery.open("grows.bloom", "r+")  # read whole, and written back
        g.add("a")
        g.close()
        g.close()
        self.assertIn("a", pybloomery.load("grows.bloom"))
        g = pybloomery.open("grows.bloom", "r+")
        g.add("b")
        del g
        self.assertIn("b", pybloomery.load("grows.bloom"))
        g = pybloomery.load("users.bloom")
        g.close()
        with self.assertRaises(ValueError):
            "a" in g
        for open_it in (pybloomery.open, pybloomery.load, lambda p: pybloomery.open(p, whole=True)):
            g = open_it("users.bloom")
            self.assertEqual(g.contains_many(["a", "b", "c"]), [True, True, False])
        g = pybloomery.open("users.bloom")
        with self.assertRaises(ValueError):
            g.add("d")
        self.assertNotIn("d", g)
        with self.assertRaises(pybloomery.KeyFormError):
            pybloomery.open("users.bloom", keys="i64")
        with self.assertRaises(pybloomery.StoreError):
            pybloomery.open("nothing.bloom")
        with open("users.bloom", "r+b") as file:
            file.write(b"rubbish")
        with self.assertRaises(pybloomery.FormatError):
            pybloomery.load("users.bloom")
        w = BloomFilter(1000, kind="windowed")
        w.save("window.bloom")
        with self.assertRaises(ValueError):
            pybloomery.open("window.bloom")
        self.assertNotIn("a", pybloomery.open("window.bloom", forgetting=True))

    def test_what_is_made_of_an_open_file_has_what_was_added_to_it(self):
        made = [(kind, {"kind": kind}, "") for kind in KINDS if kind != "windowed"]
        made.append(("windowed", {"kind": "windowed", "window_ms": 3_600_000}, ""))
        made += [(f, {"format": f}, f"{f}:") for f in ("guava", "redisson", "dcso", "parquet", "leveldb")]
        for name, options, prefix in made:
            with self.subTest(name):
                BloomFilter(1000, **options).save(f"{prefix}{name}.file")
                with pybloomery.open(f"{prefix}{name}.file", "r+", forgetting=True) as f:
                    f.add("a")
                    into = BloomFilter(1000, **options)
                    into |= f
                    f.save(f"{prefix}{name}.saved")
                    others = [f.copy(), into, pybloomery.load(f"{prefix}{name}.saved")]
                    others.append(BloomFilter.from_bytes(f.to_bytes()))
                    for other in others:
                        self.assertIn("a", other)
                        self.assertNotIn("b", other)

    def test_what_is_made_of_a_file_that_was_replaced_is_what_it_answers(self):
        for mode, whole in (("r", False), ("r", True)):
            f = BloomFilter(1000, keys="text")
            f.add("a")
            f.save("users.bloom")
            f = pybloomery.open("users.bloom", mode, whole=whole)
            g = BloomFilter(1000, keys="i64")
            g.add(42)
            g.save("users.bloom")
            into = BloomFilter(1000, keys="text")
            into |= f
            f.save("saved.bloom")
            others = [f.copy(), into, pybloomery.load("saved.bloom"), BloomFilter.from_bytes(f.to_bytes())]
            for other in others:
                self.assertEqual(other.keys, "text")
                self.assertIn("a", other)
                self.assertNotIn("42", other)

    def test_what_is_added_to_a_file_that_is_gone_is_not_called_kept(self):
        for location in ("blocked.bloom", "classic.bloom", "scalable.bloom", "guava:guava.bin"):
            name = location.partition(".")[0]
            options = {"format": "guava"} if name.startswith("guava") else {"kind": name}
            path = location.rpartition(":")[2]
            for how in (os.unlink, lambda path: os.rename("other.file", path), lambda path: os.rename(path, "away")):
                with self.subTest(location):
                    BloomFilter(1000, **options).save(location)
                    BloomFilter(1000).save("other.file")
                    f = pybloomery.open(location, "r+")
                    how(path)
                    f.add("a")
                    with self.assertRaises(pybloomery.StoreError):
                        f.flush()
                    with self.assertRaises(pybloomery.StoreError):
                        f.close()

    def test_a_relative_path_is_of_the_folder_where_it_was_opened(self):
        os.mkdir("elsewhere")
        for location in ("blocked.bloom", "scalable.bloom", "guava:guava.bin", "shared"):
            with self.subTest(location):
                options = {"format": "guava"} if ":" in location else {}
                options |= {"kind": "scalable"} if location.startswith("scalable") else {}
                BloomFilter(1000, **options).save(location)
                f = pybloomery.open_shared(location) if location == "shared" else pybloomery.open(location, "r+")
                os.chdir("elsewhere")
                f.add("a")
                self.assertIn("a", f.copy())
                f.flush()
                f.close()
                os.chdir("..")
                self.assertIn("a", pybloomery.load(location))

    def test_other_systems_formats(self):
        f = BloomFilter(1000, format="guava")
        f.update(["a", "b"])
        f.save("guava:users.bin")
        for open_it in (pybloomery.open, pybloomery.load):
            self.assertEqual(open_it("guava:users.bin").contains_many(["a", "c"]), [True, False])
        self.assertEqual(open_it("guava:users.bin", keys="i64").keys, "i64")

    def test_the_command_and_python_mean_the_same_keys(self):
        names = ["alice", "Ω漢", "12345678", "42"]
        numbers = [0, 42, -1, 2**63 - 1]
        # Its file, asked here.
        made = command("load", "-", "names.bloom", "-n", "1000", keys="\n".join(names) + "\n")
        self.assertEqual(made.returncode, 0, made.stderr)
        spelt = "".join(f"{n}\n" for n in numbers)
        made = command("load", "-", "ids.bloom", "-n", "1000", "--as", "i64", keys=spelt)
        self.assertEqual(made.returncode, 0, made.stderr)
        made = command("load", "-", "lower.bloom", "-n", "1000", "--normalise", "lower", keys="ALICE\n")
        self.assertEqual(made.returncode, 0, made.stderr)
        for open_it in (pybloomery.open, pybloomery.load):
            f = open_it("names.bloom")
            self.assertEqual(f.contains_many(names + ["bob"]), [True] * 4 + [False])
            with self.assertRaises(pybloomery.KeyFormError):
                42 in f
            g = open_it("ids.bloom")
            self.assertEqual(g.contains_many(numbers + [7]), [True] * 4 + [False])
            self.assertEqual(list(g.contains_many(numpy.array(numbers))), [True] * 4)
            self.assertIn("42", g)
            self.assertIn("Alice", open_it("lower.bloom"))
            with self.assertRaises(pybloomery.KeyFormError):
                b"alice" in open_it("lower.bloom")
        # And ours, asked by it.
        h, i = BloomFilter(1000), BloomFilter(1000)
        h.update(names)
        i.update(numbers)
        h.save("h.bloom")
        i.save("i.bloom")
        for file, keys in (("h.bloom", names), ("i.bloom", numbers)):
            said = command("check", file, keys="".join(f"{k}\n" for k in keys) + "5\n")
            self.assertEqual(said.stdout.decode().splitlines(), [str(k) for k in keys], said.stderr)


class Elsewhere(Folder):
    def test_in_never_denies_what_nobody_knows(self):
        path = os.path.abspath("s")
        server = subprocess.Popen(
            [os.environ.get("REDIS_SERVER", "redis-server"), "--port", "0", "--unixsocket", path, "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        try:
            for _ in range(1000):  # its socket has a name before it listens
                with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as asked:
                    asked.connect(path)
                    break
                time.sleep(0.01)
            where = f"bitmap:redis+unix://{path}#users"
            f = BloomFilter(1000, keys="i64")
            f.add(1)
            f.save(where)
            g = pybloomery.open(where, "r+")
            self.assertEqual(g.contains_many([1, 2]), [True, False])
            self.assertEqual(g.keys, "i64")
            g.add(3)
            self.assertIn(3, pybloomery.load(where))
            self.assertFalse(g.contains(2, timeout=60))
            server.send_signal(signal.SIGSTOP)
            for timeout in (0, 0.05):
                self.assertTrue(g.contains(2, timeout=timeout))
                self.assertEqual(list(g.presence_many([1, 2], timeout=timeout)), [2, 2])
            server.send_signal(signal.SIGCONT)
            self.assertEqual(g.contains_many([1, 2, 3], timeout=60), [True, False, True])
            for wrong in (-1, float("nan"), float("inf")):
                with self.assertRaises(ValueError):
                    g.contains(2, timeout=wrong)
            self.assertEqual(command("destroy", "--yes", where).returncode, 0)
            self.assertIn(2, g)
            self.assertEqual(g.presence(2), Presence.UNKNOWN)
            self.assertEqual(g.contains_many([1, 2]), [True, True])
            self.assertEqual(list(g.presence_many([1, 2])), [2, 2])
        finally:
            server.kill()  # it may be stopped
            server.wait()
        try:
            self.assertIn(2, g)  # nobody is there
        except pybloomery.StoreError:
            pass


class Documents(Folder):
    def test_every_example_in_a_docstring_is_true(self):
        results = doctest.testmod(pybloomery)
        self.assertEqual(results.failed, 0)
        self.assertGreater(results.attempted, 20)

    def test_the_stub_has_what_the_package_has(self):
        with open(os.path.join(os.path.dirname(pybloomery.__file__), "__init__.pyi")) as file:
            stub = ast.parse(file.read())
        names = {n.name: n for n in stub.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        self.assertLessEqual(set(pybloomery.__all__), set(names))
        methods = {n.name for n in names["BloomFilter"].body if isinstance(n, ast.FunctionDef)}
        own = {n for n in dir(BloomFilter) if not n.startswith("_")}
        self.assertEqual({n for n in methods if not n.startswith("_")}, own)
