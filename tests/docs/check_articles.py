#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_articles.py SOURCE: what docs/experiments.md and its Chinese twin say that an article prints, was noted from it.

tests/golden/articles.json has the notes. Each number and each word in backticks of the second column must be in those of the
article, and nothing of which the notes say that the article does not say it.
"""
import json
import pathlib
import re
import sys


def plain(text):
    """Without the commas between thousands."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", text)


def numbers_in(text):
    return set(re.findall(r"\d+(?:\.\d+)?", plain(text)))


def rows(page):
    """Yields (article, what it prints) of the table whose rows begin with an article's word."""
    article = None
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)][1:-1]
        if len(cells) != 3:
            article = None
            continue
        article = cells[0] or article
        yield article, cells


def faults(name, page, table):
    seen = set()
    for article, cells in rows(page):
        if article not in table:
            if article not in ("`--post`", "---"):
                yield f"{name}: no article is called {article}"
            continue
        if cells[1] == table[article]["title"] or table[article]["title"] in cells[1]:
            continue  # the list of titles
        seen.add(article)
        notes = " ".join(table[article]["says"].values())
        for number in sorted(numbers_in(cells[1]) - numbers_in(notes)):
            yield f"{name}: {article} does not say {number}: {cells[1]}"
        for words in re.findall("`([^`]+)`", cells[1]):
            if words not in notes:
                yield f"{name}: {article} does not say {words}: {cells[1]}"
        for words in table[article]["says_not"]:
            if words in plain(cells[1]):
                yield f"{name}: {article} does not say {words}: {cells[1]}"
    for article in sorted(set(table) - seen):
        yield f"{name}: has nothing of {article}"


def main():
    source = pathlib.Path(sys.argv[1])
    table = json.loads((source / "tests/golden/articles.json").read_text())
    found = []
    for name in ("docs/experiments.md", "docs/experiments.zh-CN.md"):
        found += faults(name, (source / name).read_text(), table)
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
