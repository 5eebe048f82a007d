#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""site_tools_test.py SOURCE: what makes the site (docs/site/comments.py) and what checks it (check_site.py), on small inputs."""
import os
import subprocess
import sys
import tempfile
import unittest

import check_site

SOURCE = sys.argv.pop()


class Comments(unittest.TestCase):
    def read(self, header):
        with tempfile.NamedTemporaryFile("w", suffix=".h") as file:
            file.write(header)
            file.flush()
            command = [sys.executable, os.path.join(SOURCE, "docs", "site", "comments.py"), file.name]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def test_belong_to_all_declarations_up_to_a_blank_line(self):
        self.assertEqual(self.read("""// A class.
class A {
 public:
  // Says so,
  // in two lines.
  bool a(int x,
         int y) const { return f("// no remark"); }
  bool b();

  bool c();  // by itself
};
"""), """/// A class.
class A {
 public:
  /// Says so,
  /// in two lines.
  bool a(int x,
         int y) const { return f("// no remark"); }
  /// Says so,
  /// in two lines.
  bool b();

  bool c();  ///< by itself
};""")

    def test_of_members_of_a_template_on_lines_of_its_own(self):
        self.assertEqual(self.read("""// A class.
template <class T>
requires Good<T>
class A {
  // Says so.
  template <class U>
  bool a();

  bool b();
};
"""), """/// A class.
template <class T>
requires Good<T>
class A {
  /// Says so.
  template <class U>
  bool a();

  bool b();
};""")

    def test_that_stand_apart_belong_to_nothing(self):
        self.assertEqual(self.read("// About the file.\n\nint a();\n"), "// About the file.\n\nint a();")

    def test_show_signs_that_would_be_commands(self):
        self.assertEqual(self.read("// Of <name>, `a<b>` and \\x.\nint a();\n"),
                         "/// Of \\<name\\>, `a<b>` and \\\\x.\nint a();")


class Links(unittest.TestCase):
    def faults(self, **pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, body in pages.items():
                name, text = (name + ".html", f"<title>t</title>{body}") if name != "style" else ("style.css", body)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            return [fault.replace(folder + "/", "") for fault in check_site.check(folder, fewest=1)[1]]

    def test_that_lead_somewhere_are_no_fault(self):
        self.assertEqual(self.faults(index='<a href="b.html#x">b</a> <a href="https://example.org">away</a>',
                                     b='<h1 id="x">x</h1><img src="data:image/png;base64,">'), [])

    def test_that_lead_nowhere_are_named(self):
        self.assertEqual(self.faults(index='<a href="b.html#y">b</a> <a href="c.html">c</a>', b='<h1 id="x">x</h1>'),
                         ["index.html: b.html#y has no such heading", "index.html: c.html is not there"])

    def test_to_the_net_are_not_loaded(self):
        self.assertEqual(self.faults(index='<script src="https://example.org/a.js"></script>'),
                         ["index.html: loads https://example.org/a.js from the net"])

    def test_a_page_that_nobody_finds_is_named(self):
        self.assertEqual(self.faults(index="", b=""), ["b.html: no page leads to it"])

    def test_a_style_that_is_away_is_named(self):
        self.assertEqual(self.faults(index="", style="@import url(/javascript/a.css);"),
                         ["style.css: /javascript/a.css is not there"])


if __name__ == "__main__":
    unittest.main()
