# SPDX-License-Identifier: Apache-2.0
"""Actors of all languages that are here, on one server and one table of SQLite: they read, insert, change and delete the same few
rows, are killed, and the server is killed and comes back empty. No announced row is denied, nothing that was erased comes back,
and a miss is one query. BLOOMERY_LONG: a minute, in which the server also dies for good, and its replica takes over;
the words are languages."""
import os
import pathlib
import random
import sqlite3
import sys
import tempfile
import threading
import time

from actors import DRIVERS, Actor, build, missing
from address import Address
from server import SCRIPT, Server, wait_until

LONG = bool(os.environ.get("BLOOMERY_LONG"))
SECONDS = 60 if LONG else 4
KEYS = [f"row{i}" for i in range(12)]
OPTIONS = {"jitter": 0.1, "value_life": 600, "negative_life": 60, "lease_life": 2, "mark_life": 20, "wait_limit": 20, "refresh_ahead": 0.0}
# By GUARD_WAY=commands every second actor runs the verbs by the module's commands, the others by the script.
COMMANDS = {"commands": "GUARD"} if os.environ.get("GUARD_WAY") == "commands" else {}
SECTION_RESTARTS, SECTION_COMMITS = "restarts", "commits"


class Killed(Exception):
    pass


class Exclusion:
    """Commits, from the renewal of their mark on, happen side by side; the server's end happens alone."""

    def __init__(self):
        self.condition, self.commits, self.alone = threading.Condition(), 0, False

    def __call__(self, section):
        return _Held(self, section)


class _Held:
    def __init__(self, exclusion, section):
        self.exclusion, self.section = exclusion, section

    def __enter__(self):
        one = self.exclusion
        with one.condition:
            if self.section == SECTION_COMMITS:
                one.condition.wait_for(lambda: not one.alone)
                one.commits += 1
            else:
                one.condition.wait_for(lambda: not one.alone and not one.commits)
                one.alone = True

    def __exit__(self, *_):
        one = self.exclusion
        with one.condition:
            if self.section == SECTION_COMMITS:
                one.commits -= 1
            else:
                one.alone = False
            one.condition.notify_all()


class Table:
    """The rows, their history, and what may be answered of them."""

    def __init__(self, folder):
        self.path = str(pathlib.Path(folder) / "rows.db")
        self.lock = threading.Lock()
        self.write = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
        self.write.execute("PRAGMA journal_mode=WAL")
        self.write.execute("PRAGMA synchronous=OFF")
        self.write.execute("CREATE TABLE rows (id TEXT PRIMARY KEY, version INTEGER)")
        self.local = threading.local()
        self.history = {key: [False] for key in KEYS}  # of each version, whether there is a row
        self.deny = dict.fromkeys(KEYS, 0)  # "no such row" may not be of a version below
        self.floor = dict.fromkeys(KEYS, 0)  # nor any answer of one below that
        self.queries = 0

    def read(self, keys):
        if not hasattr(self.local, "connection"):
            self.local.connection = sqlite3.connect(self.path, timeout=30)
        self.queries += 1
        rows = []
        for key in keys:
            found = self.local.connection.execute("SELECT version FROM rows WHERE id = ?", (key,)).fetchone()
            rows.append({"version": found[0]} if found else None)
        return rows

    def commit(self, key, what):
        """The version, or None where there was nothing to do."""
        with self.lock:
            history = self.history[key]
            there, version = history[-1], len(history)
            if what != "insert" and not there:
                return None
            history.append(what != "delete")  # before it can be seen
            self.write.execute("BEGIN IMMEDIATE")
            self.write.execute("DELETE FROM rows WHERE id = ?", (key,))
            if what != "delete":
                self.write.execute("INSERT INTO rows VALUES (?, ?)", (key, version))
            self.write.execute("COMMIT")
            if what == "insert" and not there:
                self.deny[key] = version
            return version

    def erased(self, key, version):
        with self.lock:
            self.floor[key] = max(self.floor[key], version or 0)

    def bounds(self, key):
        with self.lock:
            return self.deny[key], self.floor[key]

    def wrong(self, key, row, bounds):
        deny, floor = bounds
        with self.lock:
            history = list(self.history[key])
        if row is not None:
            version = row["version"]
            return None if version >= floor and history[version] else f"{key}: {row}, but {floor} was erased"
        least = max(deny, floor)
        return None if any(not there for there in history[least:]) else f"{key} was denied, but {least} was committed"


class Player(threading.Thread):
    """One actor, and what it does."""

    def __init__(self, stage, number, language):
        super().__init__(daemon=True)
        self.stage, self.draw, self.actor, self.language = stage, random.Random(number), Actor(language), language
        self.error, self.marks, self.number = None, 0, number

    def run(self):
        try:
            self.open()
            while not self.stage.over.is_set():
                try:
                    self.step()
                except Killed:
                    self.actor.kill()
                    self.stage.count("kills")
                    self.open()
        except BaseException as error:
            self.error = error

    def open(self):
        options = {**OPTIONS, **(COMMANDS if self.number % 2 else {}), **({"filter": "filter"} if self.stage.server.has_module() else {})}
        assert self.actor.do(do="open", port=self.stage.address.port, name="mixed", options=options) == {"did": "open"}

    def may_die(self, chance):
        if self.draw.random() < chance:
            raise Killed

    def step(self):
        key, what = self.draw.choice(KEYS), self.draw.random()
        if what < 0.7:
            self.read([key] if what < 0.55 else self.draw.sample(KEYS, 4))
        elif what < 0.97:
            self.write_row(key, "insert" if what < 0.84 else "change" if what < 0.91 else "delete")
        else:
            self.actor.do(do="reopen", keys=[])

    def read(self, keys):
        table = self.stage.table
        bounds = [table.bounds(key) for key in keys]
        said = self.actor.do(do="get" if len(keys) == 1 else "get_many", keys=keys)
        while "load" in said:
            if self.draw.random() < 0.5:
                time.sleep(self.draw.random() * 0.004)
            rows = table.read(said["load"])
            if self.draw.random() < 0.3:
                time.sleep(self.draw.random() * 0.004)
            self.may_die(0.01)
            said = self.actor.do(rows=rows)
        if "error" in said:
            self.stage.count(said["error"])
            return
        self.stage.count("answers", len(keys))
        for key, row, bound in zip(keys, said["rows"], bounds):
            wrong = table.wrong(key, row, bound)
            if wrong:
                self.stage.wrongs.append(f"{self.language}: {wrong}")

    def write_row(self, key, what):
        # Nothing that a writer was told is lost in a failover: it happens between writes, when the replica has all of them.
        with self.stage.writes(SECTION_COMMITS):
            self.write_within(key, what)

    def write_within(self, key, what):
        table, version, announced = self.stage.table, None, what == "insert"
        if announced:
            self.marks += 1
            said = self.actor.do(do="announce", keys=[key], **{"as": str(self.marks)})
            if "error" in said:
                self.stage.count(said["error"])
                return
            time.sleep(self.draw.random() * 0.003)
            self.may_die(0.01)
        with self.stage.exclusion(SECTION_COMMITS):
            commits = self.draw.random() < 0.85
            if commits and announced:
                said = self.actor.do(do="renew", keys=[], **{"as": str(self.marks)})
                commits = "held" in said
            if commits:
                version = table.commit(key, what)
        self.may_die(0.02)
        for _ in range(100):
            said = self.actor.do(do="release", keys=[], **{"as": str(self.marks)}) if announced else self.actor.do(do="erase", keys=[key])
            if "did" in said:
                table.erased(key, version)
                return
            self.stage.count(said["error"])
            time.sleep(0.02)


class Stage:
    def __init__(self, server, table):
        self.server, self.table, self.over, self.exclusion, self.writes = server, table, threading.Event(), Exclusion(), Exclusion()
        self.address, self.replica = Address(server.port), None
        self.wrongs, self.counts, self.lock = [], {}, threading.Lock()

    def count(self, what, by=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + by

    def make_filter(self):
        """While there is none nothing is announced, so a scan beside is whole when it takes the filter's name."""
        if self.server.has_module():
            run = self.server.redis.execute_command
            run("BLOOM.RESERVE", "beside", 0.01, 1000)
            for key in KEYS:
                if self.table.read([key])[0]:
                    run("BLOOM.ADD", "beside", key)
            run("RENAME", "beside", "filter")

    def restart(self):
        with self.exclusion(SECTION_RESTARTS):
            self.server.kill()
            (pathlib.Path(self.server.folder) / "dump.rdb").unlink(missing_ok=True)  # of the days when it was a replica
            self.server.start()
            self.make_filter()
        self.count("restarts")


    def follow(self):
        """Starts a replica, which has all that the server has."""
        self.server.redis.config_set("repl-diskless-sync-delay", 0)
        self.replica = Server()
        self.replica.redis.replicaof("127.0.0.1", self.server.port)
        wait_until(lambda: self.replica.redis.info("replication")["master_link_status"] == "up", 60)

    def fail_over(self):
        """The server is killed for good, and its replica takes its place."""
        self.follow()
        with self.writes(SECTION_RESTARTS):
            with self.server.redis.pipeline(transaction=False) as both:  # WAIT waits for writes of its own connection
                assert both.set("failover", 1).wait(1, 30000).execute()[1] == 1
            self.server.stop()
            self.server, self.replica = self.replica, None
            self.server.redis.replicaof("NO", "ONE")
            self.address.lead_to(self.server.port)
        self.count("failovers")

    def close(self):
        self.address.close()
        for each in (self.server, self.replica):
            if each:
                each.stop()


def one_query_a_miss(stage, players):
    """All at once, for a row that nobody has asked for."""
    for number in range(20):
        key, loads, answers = f"fresh{number}", [], []

        def ask(player):
            said = player.actor.do(do="get", keys=[key])
            while "load" in said:
                loads.append(player.language)
                time.sleep(0.02)
                said = player.actor.do(rows=[{"version": number}])
            answers.append(said)
        stage.server.redis.execute_command("BLOOM.ADD", "filter", key) if stage.server.has_module() else None
        threads = [threading.Thread(target=ask, args=(player,)) for player in players]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        if len(loads) != 1 or answers != [{"rows": [{"version": number}]}] * len(players):
            stage.wrongs.append(f"{key}: loaded by {loads}, answered {answers}")


def main():
    given = sys.argv[1:]
    for language in given:
        if missing(language):
            sys.exit(f"{language} needs {', '.join(missing(language))}")
    languages = given or [each for each in DRIVERS if not missing(each)]
    for language in languages:
        build(language)
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        server.redis.script_load(SCRIPT)
        stage = Stage(server, Table(folder))
        turn = 0
        stage.make_filter()
        players = [Player(stage, number, language) for number, language in enumerate(languages * (1 if len(languages) > 5 else 2))]
        for each in players:
            each.start()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            time.sleep(min(SECONDS / (6 if LONG else 2), max(0, end - time.monotonic())))
            if time.monotonic() < end - 0.5:
                turn += 1
                stage.fail_over() if LONG and turn % 2 else stage.restart()
        stage.over.set()
        for each in players:
            each.join(120)
            if each.is_alive():
                stage.wrongs.append(f"{each.language} hangs")
            if each.error:
                stage.wrongs.append(f"{each.language}: {each.error!r}")
        if not stage.wrongs:
            for each in players:
                each.open()
            one_query_a_miss(stage, players)
        for each in players:
            each.actor.kill()
        stage.close()
    print(", ".join(languages), *(f"{name} {count}" for name, count in sorted(stage.counts.items())), f"queries {stage.table.queries}", sep="; ")
    for wrong in stage.wrongs[:10]:
        print(wrong)
    print(f"{len(stage.wrongs)} wrong")
    sys.exit(1 if stage.wrongs else 0)


if __name__ == "__main__":
    main()
