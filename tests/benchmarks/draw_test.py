#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Charts and tables of benchmarks/draw, from figures that are made up (sample_report.h)."""
import contextlib
import copy
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
import xml.dom.minidom

FOLDER = pathlib.Path(__file__).resolve().parent
DRAW = str(FOLDER.parent.parent / "benchmarks" / "draw")
PAGE = "above\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nbelow\n"

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("draw", DRAW)
draw = importlib.util.module_from_spec(importlib.util.spec_from_loader("draw", loader))
loader.exec_module(draw)


class Draw(unittest.TestCase):
    def setUp(self):
        self.figures = json.loads((FOLDER / "sample_figures.json").read_text())
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_draw(self, *arguments):
        """The exit status, and what was said."""
        said = io.StringIO()
        sys.argv = ["draw", *map(str, arguments)]
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stderr(said):
                draw.main()
            return 0, ""
        except SystemExit as end:
            return end.code, said.getvalue()

    def draw(self, what, file, before=""):
        (self.folder / "figures.json").write_text(json.dumps(self.figures))
        (self.folder / file).write_text(before)
        self.assertEqual(self.run_draw("figures.json", what, file), (0, ""))
        return (self.folder / file).read_text()

    def chart(self):
        svg = self.draw("--svg", "chart.svg")
        xml.dom.minidom.parseString(svg)  # well-formed
        return svg

    def page(self):
        return self.draw("--markdown", "page.md", PAGE)

    def rows(self):
        return self.figures["speed"][0]["rows"]

    def test_several_runs_give_the_least_times(self):
        times = []
        for i, ns in enumerate((9.5, 2.5, 3.125)):
            self.rows()[0]["operations"]["absent_batch"]["cpu_ns"] = ns
            self.rows()[0]["measured_rate"] = ns / 1000
            (self.folder / f"{i}.json").write_text(json.dumps(self.figures))
            times.append(f"{i}.json")
        (self.folder / "page.md").write_text(PAGE)
        self.assertEqual(self.run_draw(*times, "--markdown", "page.md"), (0, ""))
        page = (self.folder / "page.md").read_text()
        self.assertIn(" / 2.5 (100 %) |", page)
        self.assertIn("| 0.3125 % |", page)
        self.assertIn("; the least of 3 runs.", page)

    def test_runs_that_differ_are_refused(self):
        del self.rows()[2]["fault"]  # right in this run
        (self.folder / "other.json").write_text(json.dumps(self.figures))
        sample = FOLDER / "sample_figures.json"
        for other in "other.json", "fewer.json":
            status, said = self.run_draw(sample, other, "--svg", "chart.svg")
            self.assertEqual(status, 2)
            self.assertIn("not of the same rows", said)
            self.rows().pop()
            (self.folder / "fewer.json").write_text(json.dumps(self.figures))
        self.assertFalse((self.folder / "chart.svg").exists())

    def test_chart_escapes_names(self):
        self.rows()[0]["row"] = "<b> & \"c\" 'd' \x01"
        self.assertIn(">&lt;b&gt; &amp; &quot;c&quot; &#x27;d&#x27;  <", self.chart())

    def test_chart_names_machine_and_date(self):
        chart = self.chart()
        self.assertIn("Measured on 2026-01-31: Some &lt;Processor&gt; &amp; Co, 2 ", chart)
        self.assertIn("L3: 10 million keys<", chart)
        self.assertIn(">12.0 MiB at 1 %; ns a key<", chart)

    def test_chart_shows_single_calls_and_batches_in_brackets(self):
        chart = self.chart()
        for words in ">7.5 (3.5)</text>", ">8.5 (4.2)</text>", ">170</text>":
            self.assertIn(words, chart)
        del self.rows()[0]["operations"]["insert_one"]
        self.assertIn(">(4.2)</text>", self.chart())

    def test_chart_names_the_processor_in_its_title(self):
        self.assertIn("peers on Some &lt;Processor&gt; &amp; Co<", self.chart())

    def test_chart_gives_wrong_rows_no_bar(self):
        chart = self.chart()
        self.assertIn("WRONG: its rate is 1.31 %, asked for 1 %", chart)
        self.assertIn("WRONG: loses keys", chart)
        self.assertNotIn(">1.1<", chart)
        kept = [row for row in self.rows() if row["verdict"] in ("kept", "left_out")]
        self.figures["speed"][0]["rows"] = kept
        self.assertEqual(self.chart().count("<rect"), chart.count("<rect"))

    def test_chart_says_why_a_row_is_left_out(self):
        self.assertIn("not installed: apt install &quot;absent&quot;", self.chart())

    def test_chart_cuts_bars_that_would_dwarf_the_others(self):
        self.assertEqual(self.chart().count('class="cut"'), 2)
        self.rows()[1]["operations"]["insert_one"]["cpu_ns"] = 5
        self.assertEqual(self.chart().count('class="cut"'), 1)

    def test_chart_has_the_memory_limit_once_a_size(self):
        once = self.chart().count('class="limit"')
        self.figures["speed"].append(copy.deepcopy(self.figures["speed"][0]))
        self.assertEqual(self.chart().count('class="limit"'), once + 1)

    def test_chart_needs_nothing_else(self):
        chart = self.chart()
        for foreign in "<script", "href", "url(", "@import", "<image":
            self.assertNotIn(foreign, chart)

    def test_zeros_are_drawn(self):
        for cost in self.figures["speed"][0]["memory_limit"].values():
            if isinstance(cost, dict):
                cost["cpu_ns"] = 0
        for row in self.rows():
            for cost in row.get("operations", {}).values():
                cost["cpu_ns"] = 0
        self.assertNotIn("nan", self.chart())
        self.page()

    def test_tables_say_what_each_operation_costs(self):
        page = self.page()
        for words in (
            "2026-01-31",
            "| 10 million keys, 12.0 MiB at 1 % (L3) | bits a key |",
            "| a random line, huge pages | | | 2.8 change | 2.5 read | |",
            "| Kept 1 % | 10.10 | 1 % | 8.5 / 4.2 (65 %) | 7.5 / 3.5 (71 %) | – / – |",
            "| std::set<int> | 0.00 | exact | 170 / – | 76 / – | – / – |",
        ):
            self.assertIn(words, page)

    def test_tables_give_wrong_rows_no_speed(self):
        page = self.page()
        self.assertIn("| Wrong 1 % | 10.10 | | WRONG: its rate is 1.31 %, asked for 1 %", page)
        self.assertIn("| Loser | 10.10 | | WRONG: loses keys | | |", page)
        self.assertNotIn("1.1 (", page)

    def test_tables_keep_the_columns(self):
        lines = [line for line in self.page().splitlines() if line.startswith("|")]
        self.assertEqual({line.count("|") for line in lines}, {7})

    def test_page_changes_between_its_marks_alone(self):
        page = self.page()
        self.assertTrue(page.startswith("above\n<!-- figures: begin -->\n\nMeasured"))
        self.assertTrue(page.endswith("\n<!-- figures: end -->\nbelow\n"))
        self.assertNotIn("old", page)
        self.assertEqual(self.draw("--markdown", "page.md", page), page)

    def test_page_without_marks_stays(self):
        (self.folder / "page.md").write_text("<!-- figures: end -->\n<!-- figures: begin -->\n")
        before = (self.folder / "page.md").read_text()
        figures = FOLDER / "sample_figures.json"
        status, said = self.run_draw(figures, "--svg", "c.svg", "--markdown", "page.md")
        self.assertEqual(status, 2)
        self.assertIn("a page for figures has the lines", said)
        self.assertEqual((self.folder / "page.md").read_text(), before)
        self.assertFalse((self.folder / "c.svg").exists())

    def test_other_files_are_refused(self):
        for words in "", "{", "[]", "{}", '{"machine": 1}', '{"speed": []}':
            (self.folder / "other.json").write_text(words)
            status, said = self.run_draw("other.json", "--svg", "chart.svg")
            self.assertEqual(status, 2, words)
            self.assertTrue(said.startswith("draw: "), said)
        self.assertEqual(
            self.run_draw("missing.json", "--svg", "chart.svg"),
            (2, "draw: missing.json: No such file or directory\n"),
        )
        self.assertEqual(self.run_draw("other.json")[0], 2)


if __name__ == "__main__":
    unittest.main()
