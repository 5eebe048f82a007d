#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_anchors.py SOURCE: fails, naming them, where a document links to a heading that its page does not have, and where a page
has no more what it once had: old_headings.txt lists the headings of 2026-11-27, for links from elsewhere. A heading that goes
leaves an <a id> of its name where its words are now, or where a link leads to them."""
import functools
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
documents = [*root.glob("*.md"), *root.glob("docs/**/*.md")]


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


@functools.cache
def anchors(page):
    """The names that headings get: lower case, punctuation dropped, blanks as hyphens; a repeated one gets a number. And those
    of <a id>."""
    text = without_code(page.read_text())
    names, seen = set(re.findall(r'<a id="([^"]+)">', text)), {}
    for line in re.findall(r"^#{1,6} (.*)$", text, flags=re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.strip()).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


faults = []
count = 0
for document in documents:
    for path, anchor in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", without_code(document.read_text())):
        page = (document.parent / path).resolve() if path else document
        if page.suffix != ".md" or not page.is_file():
            continue  # check_paths.sh names what is not there
        count += 1
        if anchor not in anchors(page):
            faults.append(f"{document.relative_to(root)} links to #{anchor} of {page.name}, which has no such heading")
for line in (root / "tests/docs/old_headings.txt").read_text().split():
    path, anchor = line.split("#")
    if not (root / path).is_file() or anchor not in anchors(root / path):
        faults.append(f"{path} had a heading #{anchor}, to which nothing leads now")
if count < 20:
    faults.append(f"only {count} links to headings were found")
sys.exit("\n".join(faults) or 0)
