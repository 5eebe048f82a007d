# SPDX-License-Identifier: Apache-2.0
"""A Redis server on a free loopback port, and the guard's script on it."""
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

import redis

SCRIPT = (pathlib.Path(__file__).resolve().parents[2] / "bindings/guard/guard.lua").read_bytes()


def free_port(with_bus=False):
    """With a cluster's bus, which is 10,000 above."""
    while True:
        with socket.socket() as probe, socket.socket() as bus:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
            try:
                if with_bus:
                    bus.bind(("127.0.0.1", port + 10000))
                return port
            except (OSError, OverflowError):
                pass


def wait_until(holds, seconds=30):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError("it does not come")
        time.sleep(0.005)


class Server:
    """With `module` where BLOOMERY_MODULE names one. More words are the server's settings."""

    def __init__(self, *settings, module=True):
        self.folder = tempfile.mkdtemp(prefix="guard")
        self.port = free_port(with_bus="--cluster-enabled" in settings)
        self.words = [os.environ.get("REDIS_SERVER", "redis-server"), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder,
                      "--save", "", "--loglevel", "warning", *settings]
        path = os.environ.get("BLOOMERY_MODULE")
        if module and path:
            self.words += ["--loadmodule", path]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.DEVNULL)
        self.redis = redis.Redis(port=self.port, socket_timeout=30)
        deadline = time.monotonic() + 30
        while True:
            try:
                if self.redis.ping():
                    return
            except redis.exceptions.RedisError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("the server does not start") from None
                time.sleep(0.01)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def has_module(self):
        return "--loadmodule" in self.words

    def run(self, verb, keys, *arguments, name="n", filter=None):
        """A verb about these keys of the guard `name`."""
        words = [each for key in keys for each in (entry(key, name), lease(key, name))] + ([filter] if filter else [])
        return self.do(verb, words, *arguments)

    def do(self, verb, keys, *arguments):
        """A verb about these keys of the server: by the script, or where GUARD_WAY is `commands` by the module's commands."""
        if os.environ.get("GUARD_WAY") != "commands":
            return self.redis.eval(SCRIPT, len(keys), *keys, verb, *arguments)
        prefix = self.words[self.words.index("prefix") + 1] + "." if "prefix" in self.words else ""
        return self.redis.execute_command(f"{prefix}GUARD.{verb}", len(keys), *keys, *arguments)


class OnServer:
    """For a unittest.TestCase: a server for all tests of the class, by `settings`."""

    settings, module = (), True

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.settings, module=cls.module)
        cls.redis = cls.server.redis

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()


def raw(key):
    return key.encode() if isinstance(key, str) else key


def entry(key, name="n"):
    return raw(name) + b":{=" + raw(key) + b"}"


def lease(key, name="n"):
    return entry(key, name) + b":lease"
