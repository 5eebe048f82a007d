#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""csv_tables_test.py COMMAND: random tables, written by Python's csv module in several dialects and by
SQLite, then read as keys: each record is a key, each key is found, and the rest is an error."""

import csv
import gzip
import io
import json
import lzma
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

COMMAND = sys.argv[1]
BYTES = ["a", "b", "7", '"', '""', ",", ";", "\n", "\r\n", "\\", "'", " ", "\t", "\\\"", "é", "|", ":", "#", "\ufeff"]

DIALECTS = {
    "excel": dict(),
    "unix": dict(quoting=csv.QUOTE_ALL, lineterminator="\n"),
    "minimal": dict(quoting=csv.QUOTE_MINIMAL, lineterminator="\n"),
    "nonnumeric": dict(quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"),
    "semicolons": dict(delimiter=";"),
    "tabs": dict(delimiter="\t", lineterminator="\n"),
    "bars": dict(delimiter="|", quoting=csv.QUOTE_ALL),
}


def run(*arguments, given=None):
    done = subprocess.run([COMMAND, *arguments], input=given, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def random_field(source):
    kind = source.random()
    if kind < 0.3:
        return str(source.randrange(10**6))
    if kind < 0.302:  # longer than a block of the reader
        return "".join(source.choices(BYTES, k=source.randrange(60_000, 140_000)))
    return "".join(source.choices(BYTES, k=source.randrange(0, 8)))


def random_rows(source, row_count, column_count):
    return [[random_field(source) for _ in range(column_count)] for _ in range(row_count)]


def written(rows, settings):
    text = io.StringIO(newline="")
    csv.writer(text, **settings).writerows(rows)
    return text.getvalue().encode()


def by_sqlite(rows, folder):
    """The same rows as the sqlite3 program writes them; none where it is not installed."""
    database = os.path.join(folder, "rows.db")
    if os.path.exists(database):
        os.unlink(database)
    connection = sqlite3.connect(database)
    names = ", ".join(f"c{i} TEXT" for i in range(len(rows[0])))
    connection.execute(f"CREATE TABLE rows ({names})")
    connection.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(rows[0]))})", rows)
    connection.commit()
    connection.close()
    try:
        return subprocess.run(["sqlite3", "-csv", database, "SELECT * FROM rows ORDER BY rowid"],
                              capture_output=True, check=True).stdout
    except FileNotFoundError:
        return None


def packed(path, text, how):
    if how == "gzip members":
        half = len(text) // 2
        text = gzip.compress(text[:half]) + gzip.compress(text[half:])
    elif how == "xz":
        text = lzma.compress(text)
    elif how == "utf16":
        text = text.decode().encode("utf-16")
    with open(path, "wb") as file:
        file.write(text)


def require(what, holds, *details):
    if not holds:
        sys.exit(f"{what}: {' '.join(str(each) for each in details)}")


def check_keys(name, folder, paths, keys, options):
    """Loads the files, whose keys are `keys`, and asks for each of them."""
    filter_path = os.path.join(folder, "f.bloom")
    if os.path.exists(filter_path):
        os.unlink(filter_path)
    status, _, said = run("create", filter_path, "-n", str(max(1, len(keys))), "-p", "1e-9")
    require(name, status == 0, said)
    status, report, said = run("insert", filter_path, *paths, "--json", *options)
    require(name, status in (0, 1), "insert:", status, said)
    count = json.loads(report)["key_count"]
    require(name, count == len(keys), "insert read", count, "keys of", len(keys), said)
    # One text of NUL-terminated keys, so that keys may hold line ends.
    asked = b"".join(key.encode() + b"\0" for key in keys)
    status, absent, said = run("check", filter_path, "-0", "-v", given=asked)
    require(name, status == 1 and absent == b"", "surely absent:", absent[:200], said)
    # Batches may come from several threads, in the order of the text.
    for threads in ("1", "2", "5"):
        status, counted, said = run("check", filter_path, "--input", paths[0], "-c", "--threads", threads, *options)
        require(name, status == 0 and int(counted) * len(paths) == len(keys), "check:", threads, counted, said)
        loaded = filter_path + ".loaded"
        if os.path.exists(loaded):
            os.unlink(loaded)
        status, report, said = run("load", paths[0], loaded, "--json", "--threads", threads, *options)
        require(name, status == 0, "load:", said)
        require(name, json.loads(report)["key_count"] * len(paths) == len(keys), "load:", report)
        status, absent, said = run("check", loaded, "-0", "-v", given=asked)
        require(name, status == 1 and absent == b"", "load lost:", absent[:200], said)


def check_table(number, folder):
    source = random.Random(number)
    column_count = source.randrange(2, 5)
    rows = random_rows(source, source.choice([1, 3, 40, 3000]), column_count)
    name = source.choice([*DIALECTS, "sqlite"])
    settings = DIALECTS.get(name, {})
    text = by_sqlite(rows, folder) if name == "sqlite" else written(rows, settings)
    if text is None:
        return
    field = source.randrange(column_count)
    how = source.choice(["plain", "plain", "gzip members", "xz", "utf16"])
    options = ["--csv", "-F", str(field + 1), "-d", settings.get("delimiter", ",").replace("\t", "\\t")]
    keys = [row[field] for row in rows]
    if text.startswith("\ufeff".encode()):
        return  # which would be taken for a byte order mark
    if source.random() < 0.3:
        options.append("--skip-header")
        keys = keys[1:]
    paths = [os.path.join(folder, f"table{i}.csv") for i in range(source.choice([1, 1, 2]))]
    for path in paths:
        packed(path, text, how)
    if keys:
        check_keys(f"table {number} ({name}, {how}, field {field + 1})", folder, paths, keys * len(paths), options)


def check_cut_table(number, folder):
    """A table that ends anywhere: each record that begins is read, or the end is an error."""
    source = random.Random(number)
    rows = random_rows(source, 12, 3)
    text = written(rows, DIALECTS["unix"])
    cut = source.randrange(len(text))
    path = os.path.join(folder, "cut.csv")
    packed(path, text[:cut], "plain")
    status, report, said = run("load", path, path + ".bloom", "--json", "--csv", "-F", "1")
    if os.path.exists(path + ".bloom"):
        os.unlink(path + ".bloom")
    begun = sum(1 for i in range(len(rows)) if len(written(rows[:i], DIALECTS["unix"])) < cut)
    holds = status == 2 if status != 0 else json.loads(report)["key_count"] == begun
    require(f"cut table {number}", holds, status, report, said, begun)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for number in range(400 if "BLOOMERY_LONG" in os.environ else 40):
            check_table(number, folder)
            check_cut_table(number, folder)


main()
