#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""api.py SOURCE PAGES: writes a page of the API reference for each header that bloomery/bloomery.h lists, and api.rst, the
list of them with the words and in the groups that the header has."""
import os
import re
import sys

LINE = re.compile(r'#include "(bloomery/[^"]+)"(?:\s*//\s*(.*))?')


def heading(text, mark):
    return f"{text}\n{mark * len(text)}\n\n"


def read_groups(source):
    """[(title, [(header, remark)])], as a reader of the header sees them."""
    groups = []
    comment = []
    with open(os.path.join(source, "bloomery", "bloomery.h"), encoding="utf-8") as lines:
        for line in lines:
            found = LINE.match(line)
            if found and (comment or not groups):
                groups.append((" ".join(comment) or "Everywhere", []))
            if found:
                comment = []
                groups[-1][1].append((found.group(1), found.group(2) or ""))
            elif line.startswith("// "):
                comment.append(line[3:].strip())
            else:
                comment = []
    return groups


def main():
    source, pages = sys.argv[1:]
    os.makedirs(os.path.join(pages, "api"), exist_ok=True)
    out = heading("C++ reference", "=")
    out += "``#include <bloomery/bloomery.h>`` declares all of this. Each header reads alone, too.\n\n"
    for title, headers in read_groups(source):
        first, _, rest = title.partition(". ")
        out += heading(first.rstrip("."), "-") + (rest + "\n\n" if rest else "")
        out += ".. toctree::\n   :maxdepth: 1\n\n"
        for header, remark in headers:
            name = header.removeprefix("bloomery/").removesuffix(".h").replace("/", "-")
            label = f"{header}: {remark}" if remark else header
            out += f"   {label} <api/{name}>\n"
            with open(os.path.join(pages, "api", name + ".rst"), "w", encoding="utf-8") as page:
                page.write(heading(header, "=") + (f"{remark[0].upper()}{remark[1:]}.\n\n" if remark else ""))
                page.write(f".. doxygenfile:: {header}\n")
        out += "\n"
    with open(os.path.join(pages, "api.rst"), "w", encoding="utf-8") as page:
        page.write(out)


if __name__ == "__main__":
    main()
