#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""comments.py HEADER: prints a header with its // comments as Doxygen's ///.

A comment belongs to all declarations that follow it up to a blank line, another comment, or the end of the class, as a reader
takes it: each gets a copy. A comment before a blank line belongs to nothing. A remark behind a declaration is that one's.
"""
import re
import sys

SCOPE = re.compile(r"\s*(?:template\s*<.*>\s*)?(?:inline\s+)?(?:class|struct|union|enum|namespace|extern)\b")
NO_DECLARATION = re.compile(r"\s*(?:#|\}|(?:public|private|protected)\s*:|namespace\b|using namespace\b|friend\b|static_assert\b)")
TEMPLATE = re.compile(r"\s*template\s*<.*>\s*$")
PLAIN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')


def split(line):
    """The code of a line, and the remark behind it or None."""
    bare = PLAIN.sub(lambda text: "x" * len(text.group(0)), line)
    at = bare.find("//")
    return (line, None) if at < 0 else (line[:at], line[at + 2:])


def documented(line):
    """A // line as a /// line, whose words are Doxygen's to show and not to obey. What stands three blanks in is code."""
    margin, text = re.match(r"(\s*)//+(.*)", line).groups()
    if text.startswith("   "):
        return f"{margin}///  {text}"
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\\\@<>#&%])", r"\\\1", part) for part in parts[::2]]
    return f"{margin}///{'`'.join(parts)}"


def depth_of(code):
    bare = PLAIN.sub("", code)
    return len(re.findall(r"[({]", bare)) - len(re.findall(r"[)}]", bare))


class Header:
    def __init__(self):
        self.out = []
        self.comment = []  # of the declarations that follow
        self.is_new = False  # nothing has it yet
        self.depth = 0  # of brackets within the declaration that has begun
        self.in_declaration = False
        self.is_scope = False
        self.is_template = False  # and what it is a template of has not come yet

    def drop_comment(self):
        if self.is_new:
            self.out.extend(re.sub(r"//+", "//", line, count=1) for line in self.comment)
        self.comment = []
        self.is_new = False

    def take(self, line):
        code, remark = split(line)
        if not code.strip() and remark is not None and not self.in_declaration:
            if not self.is_new:
                self.comment = []
            self.comment.append(line)
            self.is_new = True
            return
        if not line.strip():
            self.drop_comment()
            self.out.append(line)
            return
        if not self.in_declaration:
            self.begin(code, remark)
        elif self.is_template and not code.strip().startswith("requires"):
            self.see_what(code)
        self.depth += depth_of(code)
        self.end(code)
        is_told = remark is not None and code.strip() and not NO_DECLARATION.match(code)
        self.out.append(code + documented("//" + remark).replace("///", "///<", 1) if is_told else line)

    def begin(self, code, remark):
        if NO_DECLARATION.match(code):
            self.drop_comment()
            return
        if self.comment and (self.is_new or remark is None):
            self.out.extend(documented(line) for line in self.comment)
            self.is_new = False
        self.in_declaration = True
        self.see_what(code)
        self.depth = 0

    def see_what(self, code):
        self.is_template = TEMPLATE.match(code) is not None
        self.is_scope = SCOPE.match(code) is not None and not code.rstrip().endswith(";")

    def end(self, code):
        text = code.rstrip()
        if not self.in_declaration:
            self.depth = 0
        elif self.is_scope and text.endswith("{"):  # a class: what is in it, are declarations again
            self.in_declaration = False
            self.comment = []
        elif self.depth <= 0 and text.endswith((";", "}", ",")):
            self.in_declaration = False


def main():
    header = Header()
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines.read().split("\n"):
            if "SPDX-License-Identifier" not in line:
                header.take(line)
    header.drop_comment()
    print("\n".join(header.out))


if __name__ == "__main__":
    main()
