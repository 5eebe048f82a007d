#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_twins.py SOURCE: fails, naming them, where a Chinese page has a block of code that no English page has, but for remarks.

check_blocks.sh runs the blocks of shell, C and C++ of all pages. Blocks of other languages are run from the English pages alone, by
the tests of their languages; so a translation must have the same ones."""
import pathlib
import re
import sys

RUN_ELSEWHERE = {"sh", "c", "cpp", "python", "output"}
REMARK = re.compile(r"(?:^|\s+)(?://|# ).*")

root = pathlib.Path(sys.argv[1])


def blocks(page):
    """Yields (language, code) of each block that check_blocks.sh does not run; of those without a language only commands."""
    for indent, language, code in re.findall(r"^( *)```(\w*)\n(.*?)^ *```$", page.read_text(), flags=re.M | re.S):
        if language in RUN_ELSEWHERE or (not language and not code.lstrip().startswith("$ ")):
            continue
        lines = [REMARK.sub("", line.removeprefix(indent)).rstrip() for line in code.splitlines()]
        yield language, "\n".join(line for line in lines if line)


pages = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
chinese = [page for page in pages if page.name.endswith(".zh-CN.md")]
known = {block for page in pages if page not in chinese for block in blocks(page)}
faults = []
count = 0
for page in chinese:
    for block in blocks(page):
        count += 1
        if block not in known:
            faults.append(f"{page.relative_to(root)}: no English page has this {block[0] or 'command'}:\n{block[1]}")
if count < 8:
    faults.append(f"only {count} blocks were found")
sys.exit("\n".join(faults) or 0)
