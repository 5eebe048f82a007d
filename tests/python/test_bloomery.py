"""What the package promises. BLOOMERY_COMMAND names the command, REDIS_SERVER a server's program."""
import array
import ast
import contextlib
import copy
import doctest
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy

import arrow_producer as arrow
import bloomery
from bloomery import BloomFilter, Presence

COMMAND = os.environ["BLOOMERY_COMMAND"]
KINDS = ["blocked", "classic", "counting", "classic-counting", "scalable", "windowed"]


def command(*words, keys=""):
    return subprocess.run(
        [COMMAND, *words], input=keys.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
    )


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.name)


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
            with self.assertRaises(bloomery.KeyFormError):
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
        for key in (2**64, -(2**63) - 1):
            with self.assertRaises(OverflowError):
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
            lambda: bloomery.open("x", "w"),
        ):
            with self.assertRaises(ValueError):
                wrong()
        for wrong in (lambda: BloomFilter(), lambda: BloomFilter("10"), lambda: BloomFilter(10, sped=1)):
            with self.assertRaises(TypeError):
                wrong()
        with self.assertRaises(OverflowError):
            BloomFilter(-1)

    def test_presence_has_no_truth(self):
        f = BloomFilter(10)
        f.add("a")
        self.assertEqual((f.presence("a"), f.presence("b")), (Presence.MAYBE, Presence.ABSENT))
        with self.assertRaises(TypeError):
            if f.presence("a"):
                pass


class Batches(unittest.TestCase):
    def both(self, given, same):
        """Added as `given`, found by ones as `same`, and the other way round."""
        f, g = BloomFilter(1000), BloomFilter(1000)
        self.assertEqual(f.update(given), len(same))
        for key in same:
            self.assertIn(key, f)
        self.assertEqual(list(f.contains_many(given)), [True] * len(same))
        g.update(same)
        self.assertEqual(list(g.contains_many(given)), [True] * len(same))
        self.assertEqual(list(g.presence_many(given)), [1] * len(same))
        self.assertEqual(list(g.add_many(given)), [False] * len(same))
        self.assertEqual(f.to_bytes(), g.to_bytes())
        h = BloomFilter.build(given, kind="static")
        self.assertEqual(h.contains_many(same), [True] * len(same))

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
        self.both(numpy.array([b"a", b"carol", b""]), [b"a", b"carol", b""])
        self.both(numpy.array(["a", "ä漢😀", ""]), ["a", "ä漢😀", ""])
        self.both(numpy.array([b"ab", b"c", b"def"])[::-2], [b"def", b"ab"])
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

    def test_arrays_that_are_no_keys_are_refused(self):
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
            arrow.Arrow("i", [None, bytes(8)], 1, dictionary=1),
            arrow.Arrow("i", [], 1),
            arrow.Arrow("w:", [None, b"abcd"], 1),
            arrow.Arrow("w:4x", [None, b"abcd"], 1),
            arrow.Arrow("w:-1", [None, b"abcd"], 1),
            arrow.Arrow("w:9223372036854775807", [None, b"abcd"], 2),
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
        with self.assertRaises(bloomery.InDoubtError):
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
                with self.assertRaises(bloomery.InDoubtError):
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
        with self.assertRaises(bloomery.IncompatibleError):
            a | BloomFilter(2000)
        with self.assertRaises(bloomery.IncompatibleError):
            a |= BloomFilter(2000)
        with self.assertRaises(TypeError):
            a | {"x"}

    def test_a_union_that_failed_denies_nothing_until_acknowledged(self):
        doubtful, closed = BloomFilter(1000, keys="i64"), BloomFilter(1000, keys="i64")
        with self.assertRaises(ValueError):
            doubtful.update(["x"])
        closed.close()
        BloomFilter(1000, keys="i64").save("damaged.bloom")
        damaged = bloomery.open("damaged.bloom")
        with open("damaged.bloom", "r+b") as file:
            file.seek(-100, os.SEEK_END)
            file.write(b"rubbish" * 10)
        for other in (doubtful, closed, damaged, BloomFilter(2000, keys="i64"), BloomFilter(1000, keys="text")):
            into = BloomFilter(1000, keys="i64")
            with self.assertRaises((bloomery.Error, ValueError)):
                into |= other
            for key in ("no integer", b"bytes", None):
                with self.assertRaises((TypeError, ValueError)):
                    into.add(key)
            self.assertIn(5, into)
            with self.assertRaises(bloomery.InDoubtError):
                into.save("into.bloom")
            into.clear()
            self.assertNotIn(5, into)
            into.save("into.bloom")

    def test_pickles_and_copies(self):
        for kind in KINDS:
            f = BloomFilter(1000, kind=kind, secret=True)
            f.update(range(100))
            for g in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f), f.copy()):
                self.assertEqual(g.contains_many(range(100)), [True] * 100)
                self.assertEqual(g.keys, "i64")
                g.add(1000)
                self.assertNotIn(1000, f)
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
        with bloomery.open("users.bloom", "r+") as g:
            self.assertIs(g.add("b"), True)
            with self.assertRaises(TypeError):
                pickle.dumps(g)
        self.assertTrue(g.closed)
        BloomFilter(1000, kind="scalable").save("grows.bloom")
        g = bloomery.open("grows.bloom", "r+")  # read whole, and written back
        g.add("a")
        g.close()
        g.close()
        self.assertIn("a", bloomery.load("grows.bloom"))
        g = bloomery.open("grows.bloom", "r+")
        g.add("b")
        del g
        self.assertIn("b", bloomery.load("grows.bloom"))
        g = bloomery.load("users.bloom")
        g.close()
        with self.assertRaises(ValueError):
            "a" in g
        for open_it in (bloomery.open, bloomery.load, lambda p: bloomery.open(p, whole=True)):
            g = open_it("users.bloom")
            self.assertEqual(g.contains_many(["a", "b", "c"]), [True, True, False])
        g = bloomery.open("users.bloom")
        with self.assertRaises(ValueError):
            g.add("d")
        self.assertNotIn("d", g)
        with self.assertRaises(bloomery.KeyFormError):
            bloomery.open("users.bloom", keys="i64")
        with self.assertRaises(bloomery.StoreError):
            bloomery.open("nothing.bloom")
        with open("users.bloom", "r+b") as file:
            file.write(b"rubbish")
        with self.assertRaises(bloomery.FormatError):
            bloomery.load("users.bloom")
        w = BloomFilter(1000, kind="windowed")
        w.save("window.bloom")
        with self.assertRaises(ValueError):
            bloomery.open("window.bloom")
        self.assertNotIn("a", bloomery.open("window.bloom", forgetting=True))

    def test_other_systems_formats(self):
        f = BloomFilter(1000, format="guava")
        f.update(["a", "b"])
        f.save("guava:users.bin")
        for open_it in (bloomery.open, bloomery.load):
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
        for open_it in (bloomery.open, bloomery.load):
            f = open_it("names.bloom")
            self.assertEqual(f.contains_many(names + ["bob"]), [True] * 4 + [False])
            with self.assertRaises(bloomery.KeyFormError):
                42 in f
            g = open_it("ids.bloom")
            self.assertEqual(g.contains_many(numbers + [7]), [True] * 4 + [False])
            self.assertEqual(list(g.contains_many(numpy.array(numbers))), [True] * 4)
            self.assertIn("42", g)
            self.assertIn("Alice", open_it("lower.bloom"))
            with self.assertRaises(bloomery.KeyFormError):
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
            for _ in range(500):
                if os.path.exists(path):
                    break
                time.sleep(0.01)
            where = f"bitmap:redis+unix://{path}#users"
            f = BloomFilter(1000, keys="i64")
            f.add(1)
            f.save(where)
            g = bloomery.open(where, "r+")
            self.assertEqual(g.contains_many([1, 2]), [True, False])
            self.assertEqual(g.keys, "i64")
            g.add(3)
            self.assertIn(3, bloomery.load(where))
            self.assertEqual(command("destroy", "--yes", where).returncode, 0)
            self.assertIn(2, g)
            self.assertEqual(g.presence(2), Presence.UNKNOWN)
            self.assertEqual(g.contains_many([1, 2]), [True, True])
            self.assertEqual(list(g.presence_many([1, 2])), [2, 2])
        finally:
            server.terminate()
            server.wait()
        try:
            self.assertIn(2, g)  # nobody is there
        except bloomery.StoreError:
            pass


class Together(unittest.TestCase):
    def test_batches_run_without_the_interpreters_lock(self):
        f = BloomFilter(1_000_000)
        keys = numpy.arange(400_000)
        before = sys.getswitchinterval()
        sys.setswitchinterval(1000)  # from here on only who gives the lock away loses it
        self.addCleanup(sys.setswitchinterval, before)
        for call in (f.update, f.contains_many):
            for _ in range(100):
                state = []

                def run():
                    state.append("inside")
                    call(keys)
                    state.append("done")

                thread = threading.Thread(target=run)
                thread.start()
                seen = list(state)
                thread.join()
                if seen == ["inside"]:
                    break
            self.assertEqual(seen, ["inside"], call)

    def test_threads_lose_no_key(self):
        for kind in ("blocked", "scalable"):
            f = BloomFilter(40_000, kind=kind)
            wrong = []

            def work(number):
                for begin in range(number * 10_000, number * 10_000 + 10_000, 500):
                    keys = numpy.arange(begin, begin + 500)
                    f.update(keys[:400])
                    for key in range(begin + 400, begin + 500):
                        f.add(key)
                    if not f.contains_many(keys).all() or not all(k in f for k in keys[::50].tolist()):
                        wrong.append(begin)
                    f.copy() if begin % 5000 == 0 else len(f)

            threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
            self.assertEqual(wrong, [])
            self.assertTrue(f.contains_many(numpy.arange(40_000)).all())

    def test_a_refused_key_ends_no_other_threads_doubt(self):
        f = BloomFilter(1000, keys="i64")

        def batch():
            with self.assertRaises(ValueError):
                f.update(["1"] * 3000 + ["x"])

        for _ in range(10):
            thread = threading.Thread(target=batch)
            thread.start()
            while 1 not in f:
                pass
            with self.assertRaises(ValueError):
                f.add("nonsense")
            thread.join()
            self.assertIn(1, f)
            f.acknowledge()

    def test_a_failing_call_touches_no_filter_that_was_closed_meanwhile(self):
        class Closer:
            """Closes the filter when its cycle is collected, and makes another of the memory that is then free."""

            def __init__(self):
                self.itself = self

            def __del__(self):
                with contextlib.suppress(RuntimeError):
                    f.close()
                other = BloomFilter(1000, keys="text")
                with contextlib.suppress(bloomery.KeyFormError):
                    other.update([42])
                others.append(other)

        thresholds = gc.get_threshold()
        self.addCleanup(gc.set_threshold, *thresholds)
        for fail in (lambda: f.add(42), lambda: f._merge(larger)):
            others = []
            f, larger = BloomFilter(1000, keys="text"), BloomFilter(7000, keys="text")
            gc.collect()
            gc.disable()
            Closer()
            try:
                raise LookupError  # while one is handled, the next is made at once
            except LookupError:
                gc.enable()
                gc.set_threshold(1, 1, 1)
                try:
                    fail()
                except bloomery.Error:
                    pass
                gc.set_threshold(*thresholds)
            gc.collect()
            self.assertIn("is in doubt", others[0])

    def test_a_filter_is_not_closed_under_a_call(self):
        f = BloomFilter(100)

        def keys():
            with self.assertRaises(RuntimeError):
                f.close()
            yield "a"

        self.assertEqual(f.update(keys()), 1)
        f.close()

    def test_a_child_of_fork_goes_on(self):
        f = BloomFilter(100_000)
        f.update(range(1000))
        stop = threading.Event()

        def churn():
            while not stop.is_set():
                f.update(numpy.arange(1000, 6000))

        thread = threading.Thread(target=churn)
        thread.start()
        try:
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    good = False
                    try:
                        f.update(numpy.arange(50_000, 51_000))
                        good = all(f.contains_many(range(1000))) and 50_999 in f and 7 in f.copy()
                    finally:
                        os._exit(0 if good else 1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            stop.set()
            thread.join()

    def in_child(self, call):
        """Whether it is true of a child, where what it raises is false."""
        child = os.fork()
        if child == 0:
            good = False
            try:
                good = call()
            finally:
                os._exit(0 if good else 1)
        return os.waitpid(child, 0)[1] == 0

    def test_a_child_of_fork_closes_what_its_parents_threads_were_asking(self):
        f = BloomFilter(1000)
        inside, go = threading.Event(), threading.Event()

        def keys():
            yield "a"
            inside.set()
            go.wait(60)

        def close():
            good = f.add("b") and "b" in f
            refused = threading.Event()

            def own():
                try:
                    f.close()
                except RuntimeError:
                    refused.set()
                yield "c"

            f.update(own())  # of a call of the child's own it is still refused
            f.close()
            return good and refused.is_set() and f.closed

        thread = threading.Thread(target=f.update, args=(keys(),))
        thread.start()
        inside.wait(60)
        try:
            self.assertTrue(self.in_child(close))
            self.assertTrue(self.in_child(lambda: self.in_child(close)))
            with self.assertRaises(RuntimeError):
                f.close()
        finally:
            go.set()
            thread.join()
        f.close()

    def test_a_child_that_is_born_within_a_call_ends_it(self):
        f = BloomFilter(10_000)
        parent = os.getpid()
        children = []

        def keys(closes):
            yield 1
            children.append(os.fork())
            if closes and os.getpid() != parent:
                f.close()
            yield from range(5000)

        for closes in (False, True):
            try:
                good = f.update(keys(closes)) > 0 or closes
                good = good and (f.closed if closes and os.getpid() != parent else 4999 in f)
                if os.getpid() != parent:
                    f.close()
            finally:
                if os.getpid() != parent:
                    os._exit(0 if good else 1)
            self.assertEqual(os.waitpid(children.pop(), 0)[1], 0)
        f.close()


def add_shared(path, name, count, started):
    """In another process, which it may end itself."""
    shared = bloomery.open_shared(path)
    for number in range(count):
        shared.add(f"{name} {number}")
        if started is not None:
            started.value = number + 1
    shared.update([f"{name} of many {number}" for number in range(count)])
    shared.close()


def add_pickled(shared):
    with shared:
        return shared.add("by a pickled one"), "first" in shared


class Shared(Folder):
    def setUp(self):
        super().setUp()
        self.path = "shared.bloom"
        BloomFilter(20_000, 0.001).save(self.path)

    def test_processes_add_at_once_however_they_were_started(self):
        for method in ("fork", "spawn"):
            context = multiprocessing.get_context(method)
            with bloomery.open_shared(self.path) as shared:
                workers = [
                    context.Process(target=add_shared, args=(self.path, f"{method} {i}", 500, None))
                    for i in range(2)
                ]
                for worker in workers:
                    worker.start()
                for worker in workers:
                    worker.join()
                    self.assertEqual(worker.exitcode, 0)
                for i in range(2):
                    self.assertIn(f"{method} {i} 499", shared)
                    names = [f"{method} {i} of many {number}" for number in range(500)]
                    self.assertTrue(all(shared.contains_many(names)))
                self.assertNotIn("nobody", shared)
        whole = bloomery.load(self.path)
        self.assertIn("spawn 1 of many 499", whole)
        self.assertGreater(len(whole), 3950)

    def test_a_worker_that_is_killed_loses_nothing(self):
        context = multiprocessing.get_context("fork")
        added = context.Value("i", 0, lock=False)  # who is killed would keep the lock
        worker = context.Process(target=add_shared, args=(self.path, "killed", 10**7, added))
        worker.start()
        while added.value < 200:
            self.assertTrue(worker.is_alive())
        worker.kill()
        worker.join()
        with self.assertRaises(bloomery.FormatError):
            bloomery.load(self.path)
        with bloomery.open_shared(self.path) as shared:
            self.assertTrue(all(f"killed {number}" in shared for number in range(added.value)))
        self.assertIn("killed 0", bloomery.load(self.path))

    def test_children_of_fork_go_on_with_it(self):
        with bloomery.open_shared(self.path) as shared:
            for i in range(3):
                child = os.fork()
                if child == 0:
                    good = False
                    try:
                        good = shared.add(f"child {i}")
                        shared.close()
                    finally:
                        os._exit(0 if good else 1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
                self.assertIn(f"child {i}", shared)
        self.assertIn("child 2", bloomery.load(self.path))

    def test_it_is_pickled_as_its_path(self):
        with bloomery.open_shared(self.path) as shared:
            shared.add("first")
            other = pickle.loads(pickle.dumps(shared))
            self.assertEqual(add_pickled(other), (True, True))
            self.assertIn("by a pickled one", shared)
            own = shared.copy()
        self.assertIn("by a pickled one", pickle.loads(pickle.dumps(own)))

    def test_who_only_reads_it_copies_it_too(self):
        with bloomery.open_shared(self.path) as shared:
            with bloomery.open(self.path) as reader:
                shared.add("later")
                self.assertIn("later", reader.copy())
                self.assertIn("later", BloomFilter.from_bytes(reader.to_bytes()))
                reader.save("copy.bloom")
        self.assertIn("later", bloomery.load("copy.bloom"))

    def test_what_cannot_be_shared_is_refused(self):
        BloomFilter(100, kind="counting").save(self.path)
        with self.assertRaisesRegex(bloomery.StoreError, "not changed in place"):
            bloomery.open_shared(self.path)
        with self.assertRaises(ValueError):
            bloomery.open_shared("guava:" + self.path)


class Memory(unittest.TestCase):
    def test_nothing_is_leaked(self):
        f = BloomFilter(1000)
        other = f.copy()
        text, raw, number = "key ä" * 3, b"bytes that are a key", numpy.int64(5)
        keys = [text + str(i) for i in range(10)]
        array_of = numpy.array(["a", "ä" * 20] * 50)
        arrow_of = arrow.strings(keys)
        numbers = BloomFilter(1000, keys="i64")
        held = (text, raw, number, keys, keys[0], array_of, arrow_of, f, other, None, True, BloomFilter)

        def failing():
            yield "a"
            raise LookupError

        def refused(call, kind):
            try:
                call()
            except kind:
                return
            self.fail("not refused")

        def everything():
            f.add(text), text in f, f.presence(raw), number in numbers, numbers.add(7)
            f.update(keys), f.add_many(keys), f.contains_many(keys), f.presence_many(iter(keys))
            f.update(array_of), f.contains_many(array_of), f.update(arrow_of), f.contains_many(arrow_of)
            numbers.contains_many(numpy.arange(1000, dtype="i4")[::2])
            BloomFilter.build(keys), BloomFilter.from_bytes(f.to_bytes()), f | other, f.info(), f.keys
            refused(lambda: f.add(1.5), TypeError)
            refused(lambda: f.update(failing()), LookupError)
            refused(lambda: f.update(["a", 1]), TypeError)
            refused(lambda: f.update([5]), TypeError)
            refused(lambda: f.contains_many(numpy.array([1.5])), TypeError)
            refused(lambda: f.contains_many(arrow.Arrow("g", [None, b""], 0)), TypeError)
            refused(lambda: BloomFilter.build([1, "a"]), TypeError)
            refused(lambda: BloomFilter.from_bytes(b"rubbish"), ValueError)
            refused(lambda: BloomFilter(0), ValueError)
            f.acknowledge()

        def pages():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1])

        for _ in range(200):
            everything()
        before, blocks, counts = pages(), sys.getallocatedblocks(), [sys.getrefcount(each) for each in held]
        for _ in range(600):
            everything()
        after = [sys.getrefcount(each) for each in held]
        for each, now, then in zip(held, after, counts):
            self.assertLess(abs(now - then), 100, repr(each)[:40])
        self.assertLess(sys.getallocatedblocks() - blocks, 300)  # half a one a round
        self.assertLess(pages() - before, 150)  # 600 KB: a kilobyte a round


class Documents(Folder):
    def test_every_example_in_a_docstring_is_true(self):
        results = doctest.testmod(bloomery)
        self.assertEqual(results.failed, 0)
        self.assertGreater(results.attempted, 20)

    def test_the_stub_has_what_the_package_has(self):
        with open(os.path.join(os.path.dirname(bloomery.__file__), "__init__.pyi")) as file:
            stub = ast.parse(file.read())
        names = {n.name: n for n in stub.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        self.assertLessEqual(set(bloomery.__all__), set(names))
        methods = {n.name for n in names["BloomFilter"].body if isinstance(n, ast.FunctionDef)}
        own = {n for n in dir(BloomFilter) if not n.startswith("_")}
        self.assertEqual({n for n in methods if not n.startswith("_")}, own)


if __name__ == "__main__":
    unittest.main()
