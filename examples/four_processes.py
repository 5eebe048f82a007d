# SPDX-License-Identifier: Apache-2.0
"""four_processes.py SERVER: four Python processes ask one table for users, of whom four in five do not exist; first the database
alone, then behind the cache guard, which they share on a Redis with the module: unix://SOCKET, or a port of 127.0.0.1.

It needs python3-redis. The table is SQLite's, and each query waits a millisecond, as over a network.
"""
import multiprocessing
import pathlib
import random
import sqlite3
import sys
import tempfile
import time

import redis

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "bindings/python/pybloomery"
sys.path.insert(0, str(PACKAGE))  # with the package installed: from pybloomery import guard
import guard  # noqa: E402

PROCESSES, REQUESTS, USERS, POPULAR = 4, 1000, 20_000, 200


def requests(process):
    """Most ask for what nobody has; the others for users, of whom some are popular."""
    draw = random.Random(process)
    for _ in range(REQUESTS):
        if draw.random() < 0.8:
            yield f"stranger{draw.randrange(10**9)}"
        else:
            yield f"user{draw.randrange(POPULAR if draw.random() < 0.9 else USERS)}"


def work(process, path, server, queries, wrong):
    table = sqlite3.connect(path)

    def load(key):
        with queries.get_lock():
            queries.value += 1
        time.sleep(0.001)
        row = table.execute("SELECT name FROM users WHERE id = ?", (key,)).fetchone()
        return row and row[0]
    ask = load
    if server:
        users = guard.Guard(redis.Redis.from_url(server, socket_timeout=5), "users", filter="users:filter")

        def ask(key):
            return users.get(key, load)
    for key in requests(process):
        if ask(key) != (f"name of {key}" if key.startswith("user") else None):
            with wrong.get_lock():
                wrong.value += 1


def run(path, server):
    """The queries, and the seconds that all of it took."""
    queries, wrong = multiprocessing.Value("i", 0), multiprocessing.Value("i", 0)
    processes = [multiprocessing.Process(target=work, args=(each, path, server, queries, wrong)) for each in range(PROCESSES)]
    began = time.monotonic()
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    if wrong.value or any(each.exitcode for each in processes):
        sys.exit(f"{wrong.value} answers are wrong")
    return queries.value, time.monotonic() - began


def main():
    url = sys.argv[1] if "://" in sys.argv[1] else f"redis://127.0.0.1:{int(sys.argv[1])}"
    server = redis.Redis.from_url(url, socket_timeout=30)
    ids = [f"user{number}" for number in range(USERS)]
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "users.db")
        with sqlite3.connect(path) as table:
            table.execute("CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT)")
            table.executemany("INSERT INTO users VALUES (?, ?)", ((each, f"name of {each}") for each in ids))
        server.delete("users:filter")
        server.execute_command("BLOOM.RESERVE", "users:filter", 0.01, USERS)
        for at in range(0, USERS, 1000):
            server.execute_command("BLOOM.MADD", "users:filter", *ids[at:at + 1000])
        alone, guarded = run(path, None), run(path, url)
    total = PROCESSES * REQUESTS
    print(f"{PROCESSES} Python processes, {total:,} requests, four in five for users who do not exist\n")
    print(f"{'':<24}{'without the guard':>20}{'with the guard':>20}")
    print(f"{'database queries':<24}{alone[0]:>20,}{guarded[0]:>20,}")
    print(f"{'requests a second':<24}{total / alone[1]:>20,.0f}{total / guarded[1]:>20,.0f}")


if __name__ == "__main__":
    main()
