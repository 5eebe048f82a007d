# SPDX-License-Identifier: Apache-2.0
"""What people type first on the command line, and what they are told."""
import json
import os
import subprocess
import tempfile
import unittest

COMMAND = os.environ["BLOOMERY_COMMAND"]


class FirstLines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.run_one("create users.bloom -n 1000")
        self.run_one("insert users.bloom", keys="alice\nbob\n")

    def run_one(self, line, keys="", status=0):
        done = subprocess.run([COMMAND, *line.split()], input=keys, capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, status, (line, done.stderr))
        return done

    def test_a_key_stands_where_a_file_should(self):
        for line in ("check users.bloom alice", "check alice users.bloom", "check alice", "insert users.bloom alice"):
            said = self.run_one(line, status=2).stderr
            self.assertIn("say -e alice", said, line)
        self.assertEqual(self.run_one("check users.bloom -e alice -e carol").stdout, "alice\n")
        self.assertEqual(self.run_one("check users.bloom -e carol", status=1).stdout, "")
        self.run_one("insert users.bloom -e carol")
        self.assertEqual(self.run_one("check users.bloom -e carol").stdout, "carol\n")

    def test_a_file_of_keys_stands_where_a_filter_should(self):
        with open(os.path.join(self.folder, "names.txt"), "w", encoding="utf-8") as names:
            names.write("alice\ncarol\n")
        self.assertIn("say --input names.txt", self.run_one("check users.bloom names.txt", status=2).stderr)
        self.assertEqual(self.run_one("check users.bloom --input names.txt").stdout, "alice\n")

    def test_options_of_other_programs(self):
        self.assertIn("did you mean -n", self.run_one("create other.bloom --n 10", status=2).stderr)
        self.assertIn("--capacity is required", self.run_one("create other.bloom", status=2).stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "other.bloom")))

    def test_the_keys_stand_where_the_filter_should(self):
        with open(os.path.join(self.folder, "names.txt"), "w", encoding="utf-8") as names:
            names.write("alice\n")
        for more in ("", " --replace"):
            said = self.run_one("load users.bloom names.txt" + more, status=2).stderr
            self.assertIn("bloomery load FROM FILE", said)
        with open(os.path.join(self.folder, "names.txt"), encoding="utf-8") as names:
            self.assertEqual(names.read(), "alice\n")
        self.run_one("load names.txt users.bloom --replace")

    def test_a_table_is_given_as_keys(self):
        with open(os.path.join(self.folder, "names.csv"), "w", encoding="utf-8") as names:
            names.write("1,alice\n2,bob\n")
        self.assertIn("names.csv: each line is a key as a whole; -F N", self.run_one("load names.csv lines.bloom").stderr)
        self.assertEqual(self.run_one("load names.csv field.bloom --csv -F 2").stderr, "")
        self.assertEqual(self.run_one("check field.bloom -e alice -e 1,alice").stdout, "alice\n")

    def test_a_dash_is_no_filter(self):
        with open(os.path.join(self.folder, "names.txt"), "w", encoding="utf-8") as names:
            names.write("alice\n")
        for line in ("load names.txt -", "create - -n 10", "check - -e alice", "info -", "merge - users.bloom users.bloom"):
            self.assertIn("- is no file", self.run_one(line, status=2).stderr, line)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "-")))
        self.run_one("load names.txt ./-")
        self.assertEqual(self.run_one("check ./- -e alice").stdout, "alice\n")

    def test_a_server_without_its_scheme_is_no_file(self):
        for name in ("127.0.0.1:6379#k", "redis.example.org:6379/1#k", "redisson:localhost:6379#k"):
            for line in (f"create {name} -n 10", f"check {name} -e alice", f"info {name}"):
                self.assertIn("is that a server? ", self.run_one(line, status=2).stderr, line)
        self.assertEqual(sorted(os.listdir(self.folder)), ["users.bloom"])
        self.run_one("create ./127.0.0.1:6379#k -n 10")

    def test_a_url_is_written_in_two_ways(self):
        plain, escaped = "http://a.com/caf\u00e9?q=\u00e9", "http://a.com/caf%C3%A9?q=%c3%a9"
        for stored, asked in ((plain, escaped), (escaped, plain)):
            self.run_one("create urls.bloom -n 100 --normalise url")
            self.run_one("insert urls.bloom", keys=stored + "\n")
            other = "http://a.com/th\u00e9"
            self.assertEqual(self.run_one("check urls.bloom", keys=f"{asked}\n{stored}\n{other}\n").stdout, f"{asked}\n{stored}\n")
            os.remove(os.path.join(self.folder, "urls.bloom"))

    def test_words_of_other_programs(self):
        for word, meant in (("add", "insert"), ("contains", "check"), ("new", "create"), ("rm", "erase"), ("stats", "info"), ("version", "--version")):
            self.assertIn(f"did you mean {meant}", self.run_one(f"{word} users.bloom", status=2).stderr)
        self.assertIn("did you mean --rate", self.run_one("create other.bloom -n 10 --error 0.01", status=2).stderr)
        self.assertIn("did you mean --input", self.run_one("check users.bloom --file names.txt", status=2).stderr)

    def test_create_needs_no_rate(self):
        said = json.loads(self.run_one("create other.bloom -n 10 --json").stdout)
        self.assertEqual(said["false_positive_rate"], 0.01)

    def test_what_nobody_has_said_is_not_said(self):
        self.assertEqual(json.loads(self.run_one("create new.bloom -n 10 --json").stdout)["keys"], "unknown")
        self.assertIn("until the first come", self.run_one("create newer.bloom -n 10").stdout)
        self.run_one("insert new.bloom -e alice")
        self.assertEqual(json.loads(self.run_one("info --json new.bloom").stdout)["keys"], "text")
        self.run_one("create numbers.bloom -n 10 --as i64")
        self.assertEqual(json.loads(self.run_one("info --json numbers.bloom").stdout)["keys"], "i64")
        self.assertIn("its keys are text", self.run_one("check users.bloom --as i64 -e 7", status=2).stderr)

    def test_in_place_a_new_file_takes_texts_and_numbers(self):
        self.run_one("create new.bloom -n 100")
        self.run_one("insert new.bloom --in-place", keys="7\nalice\n")
        self.run_one("insert new.bloom --in-place --as u64", keys="8\n")
        self.assertEqual(self.run_one("check new.bloom", keys="7\nalice\n8\n9\n").stdout, "7\nalice\n8\n")

    def test_what_was_inserted_too_often_is_not_erased(self):
        self.run_one("create open.bloom -n 100 --kind counting")
        self.run_one("insert open.bloom", keys="alice\n" * 20 + "bob\n")
        said = json.loads(self.run_one("erase open.bloom -e alice -e bob -e carol --json").stdout)
        self.assertEqual((said["erased_count"], said["absent_count"], said["saturated_count"]), (1, 1, 1))
        self.assertIn("they stay for ever", self.run_one("erase open.bloom -e alice", status=1).stdout)


if __name__ == "__main__":
    unittest.main()
