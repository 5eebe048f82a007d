# SPDX-License-Identifier: Apache-2.0
"""The fence that a follower gives by HTTP, as the client of each language asks for it. A language that is not here is left out."""
import http.server
import os
import pathlib
import shutil
import socketserver
import subprocess
import sys
import threading
import unittest

from actors import BUILT, HERE, build, go

SOURCE = "0123456789abcdef" * 2
BINDINGS = HERE.parents[1] / "bindings"
sys.path.insert(0, str(BINDINGS / "python/pybloomery"))
from guard import NoFence, follower_fence  # noqa: E402

# What is said under each path, and the fence that it is.
SAID = {"good": (200, f"{SOURCE} 18446744073709551615\n"), "away": (503, "no fence: the database is away\n"), "other": (200, "<html>\n"),
        "short": (200, f"{SOURCE[1:]} 1\n"), "negative": (200, f"{SOURCE} -1\n"), "more": (200, f"{SOURCE} 1\n2\n"), "refused": (503, f"{SOURCE} 1\n")}
GOOD = f"{SOURCE} 18446744073709551615"


class Stranger(socketserver.BaseRequestHandler):
    """Speaks no HTTP; or is one that dies while it answers, and its machine with it; or sends byte after byte."""
    over = threading.Event()

    def handle(self):
        asked = self.request.recv(1000)
        if b"/drips/" in asked:
            try:
                for byte in f"HTTP/1.0 200 OK\r\nContent-Length: {len(GOOD) + 1}\r\n\r\n{GOOD}\n".encode():
                    self.request.sendall(bytes([byte]))
                    if self.over.wait(0.1):
                        break
            except OSError:
                pass  # it is not waited for
        elif b"/dies/" in asked:
            self.request.sendall(f"HTTP/1.0 200 OK\r\nContent-Length: {len(GOOD) + 1}\r\n\r\n{GOOD}".encode())
            self.over.wait(60)
        else:
            self.request.sendall(b"SSH-2.0-other\r\n")


class Follower(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        status, text = SAID[self.path.split("/")[1]] if self.path.endswith("/fence") else (404, "")
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Fences(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Follower)
        cls.url = f"http://127.0.0.1:{cls.server.server_port}"
        cls.strange = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Stranger)
        for each in (cls.server, cls.strange):
            threading.Thread(target=each.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        Stranger.over.set()
        for each in (cls.server, cls.strange):
            each.shutdown()
            each.server_close()

    def ask_all(self, ask, limits_all=False):
        """ask(seconds, urls) gives for each, within so many seconds, the fence as "SOURCE POSITION", or "none"."""
        stranger = f"http://127.0.0.1:{self.strange.server_address[1]}"
        urls = [f"{self.url}/{each}" for each in SAID] + [f"{self.url}/good/", "http://127.0.0.1:1", stranger]
        self.assertEqual([GOOD] + ["none"] * (len(SAID) - 1) + [GOOD, "none", "none"], ask(10, urls))
        self.assertEqual(["none"], ask(1, [f"{stranger}/dies"]))
        if limits_all:
            self.assertEqual(["none"], ask(1, [f"{stranger}/drips"]))

    def by_program(self, *words, limits_all=False):
        def ask(seconds, urls):
            return subprocess.run([*words, str(seconds), *urls], check=True, stdout=subprocess.PIPE, timeout=40).stdout.decode().splitlines()
        self.ask_all(ask, limits_all)

    def test_python(self):
        def one(seconds, url):
            try:
                return " ".join(follower_fence(url, seconds))
            except NoFence:
                return "none"
        self.ask_all(lambda seconds, urls: [one(seconds, url) for url in urls], limits_all=True)

    @unittest.skipUnless(shutil.which("php"), "no php")
    def test_php(self):
        self.by_program("php", str(HERE / "drivers/fences.php"), limits_all=True)

    @unittest.skipUnless(shutil.which("node"), "no node")
    def test_javascript(self):
        self.by_program("node", str(HERE / "drivers/fences.mjs"))

    @unittest.skipUnless(shutil.which("java"), "no java")
    def test_java(self):
        build("java")
        self.by_program("java", "-XX:TieredStopAtLevel=1", "-cp", f"{BUILT}/java/bloomery-guard.jar:{BUILT}/java", "Fences")

    @unittest.skipUnless(shutil.which("go"), "no go")
    def test_go(self):
        go("build", "-o", str(BUILT / "go/fences"), "./fences")
        self.by_program(str(BUILT / "go/fences"))


if __name__ == "__main__":
    unittest.main()
