# SPDX-License-Identifier: Apache-2.0
"""Whoever writes a filter, with whichever type of key: no reader says "absent" of what is in it.

Written by C++, C, Python, JavaScript, the command, the module's clients and C++ places; into a new file, files and filters
in servers that were made empty, and files that say how their keys are written. Asked by all of them, each by its call for
that type. A writer may refuse; then nothing has changed. JavaScript takes part where BLOOMERY_PACKAGE names its package."""
import ctypes
import itertools
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import unittest

import pybloomery

COMMAND = os.environ["BLOOMERY_COMMAND"]
COUNT = 60
KEYS = {
    "text": [str(i) for i in range(COUNT)],
    "int": [i - COUNT // 2 for i in range(COUNT)],
    "int64": [(i - COUNT // 2) * 5_000_000_000 for i in range(COUNT)],
    "uint64": [2**64 - 1 - i for i in range(COUNT)],
    "bytes": [str(10_000_000 + i) for i in range(COUNT)],  # eight of them
    "eight": [(i - COUNT // 2) * 5_000_000_000 for i in range(COUNT)],  # inserted as eight bytes, asked for as integers
}
TYPES = [kind for kind in KEYS if kind != "eight"]


def eight_bytes(key):
    return key.to_bytes(8, "little", signed=True)


class Refused(Exception):
    """The writer said that such keys cannot go into that filter."""


class Cplusplus:
    def __init__(self):
        self.program = subprocess.Popen(
            [os.environ["MATRIX_PROGRAM"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def close(self):
        self.program.communicate()

    def call(self, *words):
        self.program.stdin.write(" ".join(words) + "\n")
        self.program.stdin.flush()
        answer = self.program.stdout.readline().strip()
        if answer.startswith("refused"):
            raise Refused(answer)
        return answer

    def insert(self, where, kind):
        assert self.call("place" if ":" in where else "insert", where, kind) == "ok"

    def denied(self, where, kind):
        return int(self.call("ask", where, kind)) + int(self.call("asked", where, kind))


class Places(Cplusplus):
    def insert(self, where, kind):
        if ":" not in where and not os.path.exists(where):
            raise Refused("a place is where a filter is")
        assert self.call("place", where, kind) == "ok"

    def denied(self, where, kind):
        return int(self.call("asked", where, kind))


class C:
    """By ctypes: the calls of the C interface as they are."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ["BLOOMERY_LIBRARY"])
        for name in ("load", "open", "make"):
            getattr(self.library, "bloomery_" + name).restype = ctypes.c_void_p
        self.library.bloomery_message.restype = ctypes.c_char_p

    def require(self, done):
        message = self.library.bloomery_message().decode()
        if not done:
            raise Refused(message) if "keys" in message else AssertionError(message)

    def each(self, call, handle, kind):
        for key in KEYS[kind]:
            if kind == "eight" and call == "insert":
                suffix, words = "_raw", (eight_bytes(key), ctypes.c_size_t(8))
            elif isinstance(key, str):
                suffix, words = "_raw" if kind == "bytes" else "", (key.encode(), ctypes.c_size_t(len(key)))
            elif kind == "uint64":
                suffix, words = "_u64", (ctypes.c_uint64(key),)
            else:
                suffix, words = "_i64", (ctypes.c_int64(key),)
            yield getattr(self.library, "bloomery_" + call + suffix)(handle, *words)

    def opened(self, where):
        if ":" in where:
            return self.library.bloomery_open(where.encode(), 1 | 2, None)
        return self.library.bloomery_load(where.encode(), None)

    def insert(self, where, kind):
        handle = ctypes.c_void_p(self.opened(where) if os.path.exists(where) or ":" in where else self.made())
        self.require(handle.value)
        try:
            for outcome in self.each("insert", handle, kind):
                self.require(outcome > 0)
            if ":" not in where:
                self.require(self.library.bloomery_save(handle, where.encode(), 0) == 0)
        finally:
            self.library.bloomery_close(handle)

    def made(self):
        options = (ctypes.c_uint64 * 14)(8 * 14, 0, 1000)  # bloomery_options: its size, no kind, a capacity
        return self.library.bloomery_make(options)

    def denied(self, where, kind):
        handle = ctypes.c_void_p(self.opened(where))
        self.require(handle.value)
        try:
            return sum(answer == 3 for answer in self.each("ask", handle, kind))
        finally:
            self.library.bloomery_close(handle)


class Python:
    def key(self, key, kind):
        return key.encode() if kind == "bytes" else key

    def given(self, key, kind):
        return eight_bytes(key) if kind == "eight" else self.key(key, kind)

    def insert(self, where, kind):
        try:
            if ":" in where:
                with pybloomery.open(where, "r+", forgetting=True) as f:
                    f.update(self.given(k, kind) for k in KEYS[kind])
                return
            f = pybloomery.load(where) if os.path.exists(where) else pybloomery.BloomFilter(1000)
            for key in KEYS[kind]:
                f.add(self.given(key, kind))
            f.save(where)
        except pybloomery.KeyFormError as refusal:
            raise Refused(str(refusal)) from refusal

    def denied(self, where, kind):
        f = pybloomery.open(where, forgetting=True) if ":" in where else pybloomery.load(where)
        try:
            return sum(self.key(key, kind) not in f for key in KEYS[kind])
        except pybloomery.KeyFormError:
            return 0  # that such keys cannot be asked for is no answer


class JavaScript(Cplusplus):
    def __init__(self):
        program = pathlib.Path(__file__).with_name("matrix_program.mjs")
        self.program = subprocess.Popen(["node", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def call(self, *words):
        return super().call(json.dumps(words))

    def insert(self, where, kind):
        if ":" in where:
            raise Refused("it has filters in memory")
        assert self.call("insert", where, kind, [str(key) for key in KEYS[kind]]) == "ok"

    def denied(self, where, kind):
        if ":" in where:
            return 0
        return int(self.call("ask", where, kind, [str(key) for key in KEYS[kind]]))


class Command:
    def run(self, *words, kind):
        lines = "".join(f"{key}\n" for key in KEYS[kind])
        done = subprocess.run([COMMAND, *words], input=lines, capture_output=True, text=True, check=False)
        if done.returncode == 2:
            raise Refused(done.stderr)
        return done.stdout

    def insert(self, where, kind):
        if ":" not in where and not os.path.exists(where):
            self.run("create", where, "-n", "1000", kind="text")
        self.run("insert", where, kind=kind)

    def denied(self, where, kind):
        return int(self.run("check", "-v", "-c", where, kind=kind))


class Module:
    """A client of Redis, which has texts alone."""

    def __init__(self, path):
        self.path = path

    def ask(self, *words):
        with socket.socket(socket.AF_UNIX) as stream:
            stream.connect(self.path)
            stream.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w.encode()) for w in words))
            return stream.makefile("rb").readline().decode().strip()

    def insert(self, where, kind):
        if not where.startswith("bloom:"):
            raise Refused("only what a module has")
        for key in KEYS[kind]:
            assert self.ask("BLOOM.ADD", where.split("#")[1], str(key)) in (":0", ":1")

    def denied(self, where, kind):
        return sum(self.ask("BLOOM.EXISTS", where.split("#")[1], str(key)) == ":0" for key in KEYS[kind])


class Matrix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.socket = os.path.join(cls.folder.name, "s")
        server = subprocess.Popen(
            [os.environ["REDIS_SERVER"], "--port", "0", "--unixsocket", cls.socket, "--save", "", "--loadmodule", os.environ["BLOOMERY_MODULE"]],
            stdout=subprocess.DEVNULL,
        )
        cls.addClassCleanup(lambda: (server.terminate(), server.wait()))
        cls.module = Module(cls.socket)
        for _ in range(400):
            try:
                if cls.module.ask("PING") == "+PONG":
                    break
            except OSError:
                time.sleep(0.02)
        cplusplus = Cplusplus()
        places = Places()
        cls.addClassCleanup(cplusplus.close)
        cls.addClassCleanup(places.close)
        cls.by = {"C++": cplusplus, "C": C(), "Python": Python(), "command": Command(), "module": cls.module, "places": places}
        cls.bindings = ["C", "Python"]
        if "BLOOMERY_PACKAGE" in os.environ:
            cls.by["JavaScript"] = JavaScript()
            cls.addClassCleanup(cls.by["JavaScript"].close)
            cls.bindings.append("JavaScript")
        cls.numbers = itertools.count()

    def new(self):
        return f"f{next(self.numbers)}"

    def file(self):
        return os.path.join(self.folder.name, self.new() + ".bloom")

    def created(self, *words):
        file = self.file()
        subprocess.run([COMMAND, "create", file, "-n", "1000", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return file

    def filled(self, kind, *words):
        file = self.created(*words)
        self.by["command"].insert(file, kind)
        return file

    def live(self, what):
        name = self.new()
        if what == "bitmap":
            location = f"bitmap:redis+unix://{self.socket}#{name}"
            subprocess.run([COMMAND, "create", location, "-n", "1000"], check=True, stdout=subprocess.DEVNULL)
            return location
        words = ["LAYOUT", "blocked"] if what == "blocked" else []
        self.assertEqual(self.module.ask("BLOOM.RESERVE", name, "0.01", "1000", *words), "+OK")
        return f"bloom:redis+unix://{self.socket}#{name}"

    def check(self, target, make, writers, kinds):
        for writer, kind in itertools.product(writers, kinds):
            where = make()
            try:
                self.by[writer].insert(where, kind)
            except Refused:
                self.refused.add((target, writer, kind))
                continue
            for reader in self.by:
                if reader == "C++" and where.startswith("bloom:"):
                    continue  # its filter is asked where it is: "places"
                if reader == "module" and (not where.startswith("bloom:") or (writer != "module" and kind not in ("text", "bytes"))):
                    continue  # clients send the bytes that are keys
                with self.subTest(target=target, written_by=writer, keys=kind, asked_by=reader):
                    # An integer of a client is a text, of which C++ asks as such.
                    asked = kind
                    if reader in ("C++", "places") and writer in ("command", "module") and kind in ("int", "int64", "uint64"):
                        continue
                    self.assertEqual(self.by[reader].denied(where, asked), 0)

    def setUp(self):
        self.refused = set()

    def test_new_files(self):
        self.check("new", self.file, ["C++", *self.bindings, "command"], TYPES)
        self.assertEqual(self.refused, set())

    def test_files_that_were_made_empty(self):
        for words in ([], ["--kind", "scalable"], ["--kind", "counting"], ["--kind", "classic"]):
            self.check("created " + " ".join(words), lambda: self.created(*words), ["C++", *self.bindings, "command", "places"], TYPES)
        self.assertEqual(self.refused, set())

    def test_files_of_texts(self):
        for words in ([], ["--kind", "scalable"]):
            self.check("texts " + " ".join(words), lambda: self.filled("text", *words), ["C++", *self.bindings, "command", "places"], TYPES)
        numbers = {"int", "int64", "uint64"}
        self.assertLessEqual({kind for _, _, kind in self.refused}, numbers)
        self.assertEqual({writer for _, writer, _ in self.refused}, {*self.bindings, "places"})

    def test_files_of_integers(self):
        self.check("i64", lambda: self.filled("int", "--as", "i64"), ["C++", *self.bindings, "command"], ["int", "int64", "text"])
        self.assertEqual(self.refused, set())

    def test_eight_bytes_may_be_those_of_an_integer(self):
        self.check("new", self.file, ["C++", *self.bindings], ["eight"])
        self.check("created", self.created, ["C++", *self.bindings, "places"], ["eight"])
        self.assertEqual(self.refused, set())
        # Where others have put texts before.
        self.check("texts", lambda: self.filled("text"), ["C++", *self.bindings, "places"], ["eight"])
        self.assertEqual({writer for _, writer, _ in self.refused}, {"places"})
        self.check("texts in a server", lambda: self.live("blocked"), ["C", "Python", "places"], ["eight"])
        self.assertEqual({writer for _, writer, _ in self.refused}, {"C", "Python", "places"})

    def test_filters_in_servers(self):
        for what in ("bitmap", "chain", "blocked"):
            self.check(what, lambda: self.live(what), ["C++", "C", "Python", "command", "module", "places"], TYPES)
        numbers = {(target, writer) for target, writer, kind in self.refused if kind in ("int", "int64", "uint64")}
        # What BLOOM.RESERVE makes holds what clients send.
        made = itertools.product(("chain", "blocked"), ("C++", "C", "Python", "places"))
        self.assertEqual(numbers - {("bitmap", "module")}, set(made))
        self.assertEqual({(target, writer) for target, writer, _ in self.refused} - numbers, set())


if __name__ == "__main__":
    unittest.main()
