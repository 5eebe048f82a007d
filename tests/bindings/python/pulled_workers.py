# SPDX-License-Identifier: Apache-2.0
"""pulled_workers.py SOURCE COMMAND: examples/pulled_workers.py with a follower, a pull and rows that come; in front of it nginx with
examples/pulled_nginx.conf, where there is one. REDIS_SERVER is the server's program. Exits with 77 where there is none."""
import http.server
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

SOURCE, COMMAND = pathlib.Path(sys.argv[1]), sys.argv[2]
REDIS = os.environ.get("REDIS_SERVER", "redis-server")
NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
running = []


def begin(name, *words, folder):
    log = open(folder / f"{name}.log", "wb")
    running.append(subprocess.Popen(words, cwd=folder, stdout=log, stderr=subprocess.STDOUT))
    return running[-1]


def comes_true(test):
    for _ in range(1500):
        found = test()
        if found:
            return found
        time.sleep(0.02)
    sys.exit(f"this does not come true: {test}")


def said(folder, name, pattern):
    return comes_true(lambda: re.search(pattern, (folder / f"{name}.log").read_text()))[1]


def status(url, key=None, header=False):
    asked = urllib.request.Request(url if header or key is None else f"{url}?id={urllib.parse.quote(key)}")
    if header:
        asked.add_header("X-Key", urllib.parse.quote(key))
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Backend(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def begin_nginx(folder, workers):
    """nginx in front of a backend; returns the address where both are."""
    backend = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    threading.Thread(target=backend.serve_forever, daemon=True).start()
    port = free_port()
    text = (SOURCE / "examples/pulled_nginx.conf").read_text()
    for old, new in (("127.0.0.1:8000", f"127.0.0.1:{port}"), ("127.0.0.1:8001", f"127.0.0.1:{backend.server_port}"),
                     ("127.0.0.1:8080", workers)):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "nginx.conf").write_text(text)
    begin("nginx", NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr", folder=folder)

    def listens():
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close() is None
        except OSError:
            return False
    comes_true(listens)
    return f"http://127.0.0.1:{port}/user"


def ask_while_rows_come(table, known, ask, denied):
    """Each row is asked for from its commit on, until the file has it; no worker denies it."""
    for number in range(50):
        key = f"came {number}/ä"
        with table:
            table.execute("INSERT INTO users VALUES (?)", (key,))
        for _ in range(4):
            if known(key) != 204:
                sys.exit(f"{key} is denied")
    for number in range(20):
        comes_true(lambda: ask(f"stranger {number}") == denied)
    for number in range(50):
        if ask(f"came {number}/ä") == denied:
            sys.exit(f"came {number} is denied")


def play(folder):
    table = sqlite3.connect(folder / "shop.db")
    with table:
        table.execute("CREATE TABLE users (id TEXT)")
        table.executemany("INSERT INTO users VALUES (?)", ((f"user{number}",) for number in range(1000)))
    begin("redis", REDIS, "--port", "0", "--unixsocket", "s", "--save", "", folder=folder)
    comes_true((folder / "s").exists)
    users = f"bitmap:redis+unix://{folder}/s?deltas=100000#users"
    follower = begin("follow", COMMAND, "follow", "sqlite:shop.db?table=users&column=id", users, "-p", "0.000001", "--metrics",
                     "127.0.0.1:0", folder=folder)
    fence = "http://" + said(folder, "follow", r"status at http://([\d.:]+)/metrics") + "/fence"
    comes_true(lambda: status(fence) == 200)
    pull = f'"{COMMAND}" pull "{users}" users.bloom'
    begin("pull", "sh", "-c", f"until {pull}; do sleep 0.1; done; exec {pull} --every 20ms", folder=folder)
    comes_true((folder / "users.bloom").exists)
    begin("workers", sys.executable, "-B", str(SOURCE / "examples/pulled_workers.py"), "users.bloom", fence, folder=folder)
    workers = said(folder, "workers", r"workers at ([\d.:]+)")

    def known(key):
        return status(f"http://{workers}/", key, header=True)
    ask, denied = known, 403
    if NGINX:
        address = begin_nginx(folder, workers)
        ask, denied = (lambda key: status(address, key)), 404
    ask_while_rows_come(table, known, ask, denied)
    follower.terminate()
    follower.wait()
    if ask("stranger 0") == denied:
        sys.exit("a stranger is denied without a fence")
    print(f"50 rows came, and no worker denied one; 20 strangers were denied{' by nginx' if NGINX else ' (there is no nginx here)'}")


def main():
    if shutil.which(REDIS) is None:
        print("skipped: no redis-server here", file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        try:
            play(pathlib.Path(folder))
        finally:
            for each in reversed(running):
                each.terminate()
            for each in running:
                each.wait()


main()
