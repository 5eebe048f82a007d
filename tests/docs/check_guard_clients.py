#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_guard_clients.py SOURCE: fails, naming them, where docs/guard_clients.md, or the Chinese page of the guard, gives a language a
name that its client does not have."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
clients = {
    "PHP": root.glob("bindings/php/src/*.php"),
    "Java": root.glob("bindings/java/src/**/*.java"),
    "Go": root.glob("bindings/go/*.go"),
    "Python": root.glob("bindings/python/pybloomery/guard/*.py"),
    "JavaScript": root.glob("bindings/javascript/guard/*"),
}
words = {name: set(re.findall(r"\w+", " ".join(each.read_text() for each in files))) for name, files in clients.items()}
page = (root / "docs/guard_clients.md").read_text()
tables = [(name, table) for name in ("docs/guard_clients.md", "docs/guard.zh-CN.md")
          for table in re.findall(r"(?:^\|.*\n)+", (root / name).read_text(), flags=re.M)]

faults = []
count = 0
for where, table in tables:
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines()]
    columns = [(i, name) for i, name in enumerate(rows[0]) if name in words]
    for row in rows[2:]:
        for i, language in columns:
            for name in re.findall(r"`\W*(\w+)\W*`", row[i]):
                count += 1
                if name not in words[language] and name != "with":
                    faults.append(f"{where}: {language}'s client has no {name}")


def spelled(name, language):
    capitals = "".join(each.capitalize() for each in name.split("_"))
    return {"Go": capitals, "JavaScript": capitals[0].lower() + capitals[1:]}.get(language, name)


# The counters are of all languages.
for counter in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page.split("## Counters")[1], flags=re.M):
    for name in re.findall(r"\w+", counter):
        for language, has in words.items():
            count += 1
            if spelled(name, language) not in has:
                faults.append(f"docs/guard_clients.md: {language}'s client counts no {spelled(name, language)}")
if count < 150:
    faults.append(f"only {count} names were found")
sys.exit("\n".join(faults) or 0)
