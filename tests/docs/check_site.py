#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_site.py FOLDER: fails, naming them, where a page of the site links to a file or a heading that is not there, loads
anything from the net, or has no title; where a style asks for what is not there; and where the start page does not lead to a
page."""
import html.parser
import os
import re
import sys
import urllib.parse

LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links = []  # (target, whether the browser loads it by itself)
        self.anchors = set()
        self.title = ""
        self.in_title = False
        with open(path, encoding="utf-8") as text:
            self.feed(text.read())

    def handle_starttag(self, tag, attributes):
        self.in_title = tag == "title" or (self.in_title and tag != "body")
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.links.append((value, (tag, name) in LOADS))

    def handle_endtag(self, tag):
        if tag == "title":
            self.in_title = False

    def handle_data(self, data):
        if self.in_title:
            self.title += data


def pages_of(folder):
    for root, _, files in os.walk(folder):
        for name in sorted(files):
            if name.endswith(".html"):
                yield os.path.normpath(os.path.join(root, name))


def faults_of_styles(folder):
    for root, _, files in os.walk(folder):
        for name in files:
            if not name.endswith(".css"):
                continue
            with open(os.path.join(root, name), encoding="utf-8") as text:
                asked = re.findall(r"url\(\s*[\"']?([^)\"']+)", text.read())
            for target in asked:
                there = os.path.normpath(os.path.join(root, target))
                if not target.startswith(("data:", "#")) and not (os.path.isfile(there) and there.startswith(folder)):
                    yield f"{os.path.join(root, name)}: {target} is not there"


def check(folder, fewest=20):
    pages = {path: Page(path) for path in pages_of(folder)}
    faults = list(faults_of_styles(folder))
    reached = {os.path.normpath(os.path.join(folder, "index.html"))}
    to_visit = list(reached)
    targets = {}
    for path, page in pages.items():
        if not page.title.strip():
            faults.append(f"{path}: has no title")
        for link, is_loaded in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data", "javascript") or parts.netloc:
                if is_loaded and parts.scheme != "data":
                    faults.append(f"{path}: loads {link} from the net")
                continue
            target = path
            if parts.path:
                target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path)))
            if not os.path.isfile(target):
                faults.append(f"{path}: {link} is not there")
                continue
            targets.setdefault(path, set()).add(target)
            anchor = urllib.parse.unquote(parts.fragment)
            if anchor and target in pages and not is_loaded and anchor not in pages[target].anchors:
                faults.append(f"{path}: {link} has no such heading")
    while to_visit:
        for target in targets.get(to_visit.pop(), ()):
            if target in pages and target not in reached:
                reached.add(target)
                to_visit.append(target)
    faults += [f"{path}: no page leads to it" for path in sorted(pages.keys() - reached)]
    if len(pages) < fewest:
        faults.append(f"{folder}: has {len(pages)} pages")
    return pages, faults


def main():
    pages, faults = check(os.path.normpath(sys.argv[1]))
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
