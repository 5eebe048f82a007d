# SPDX-License-Identifier: Apache-2.0
"""Absent behind a fence: only where the filter has come as far as the database was."""
import os
import re
import sqlite3
import subprocess
import tempfile
import unittest

import pybloomery
from pybloomery import BloomFilter, Presence


class Fence(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.database = sqlite3.connect(os.path.join(self.folder.name, "shop.db"))
        self.addCleanup(self.database.close)
        self.database.execute("CREATE TABLE users(id TEXT)")

    def follow(self, row):
        """Brings a row into the filter, and returns how far the filter is."""
        with self.database:
            self.database.execute("INSERT INTO users VALUES(?)", (row,))
        table = "sqlite:shop.db?table=users&column=id"
        command = [os.environ["BLOOMERY_COMMAND"], "follow", table, "ids.bloom", "--once"]
        said = subprocess.run(command, cwd=self.folder.name, capture_output=True, text=True, check=True).stderr
        source, position = re.findall(r"watermark ([0-9a-f]{32}):(\d+)", said)[-1]
        return source, int(position)

    def opened(self):
        return pybloomery.open(os.path.join(self.folder.name, "ids.bloom"))

    def test_a_key_is_absent_only_where_the_filter_has_come_to_the_fence(self):
        source, position = self.follow("ann")
        with self.opened() as users:
            keys = ["ann", "zoe"]
            self.assertEqual(users.contains_many(keys, behind=(source, position)), [True, False])
            self.assertEqual(users.contains_many(keys, behind=(source, position + 1)), [True, True])
            self.assertEqual(users.contains_many(keys, behind=("1" * 32, position)), [True, True])
            self.assertFalse(users.contains("zoe", behind=(source, position), timeout=5))
            self.assertTrue(users.contains("zoe", behind=(source, 2**64 - 1)))
            said = users.presence_many(keys, behind=(source, position + 1))
            self.assertEqual(list(said), [Presence.MAYBE, Presence.UNKNOWN])
        later = self.follow("zoe")
        with self.opened() as users:
            self.assertGreater(later[1], position)
            self.assertEqual(users.contains_many(["ann", "zoe", "yan"], behind=later), [True, True, False])

    def test_a_filter_without_a_watermark_denies_nothing(self):
        users = BloomFilter(100)
        users.add("ann")
        self.assertEqual(users.contains_many(["ann", "zoe"], behind=("1" * 32, 0)), [True, True])

    def test_what_is_no_fence_is_refused(self):
        users = BloomFilter(100)
        for wrong in ("x" * 32, 5, ("1" * 32,), ("1" * 32, "5"), [("1" * 32), 5], (5, 5), ("1" * 32, 1.5)):
            self.assertRaises(TypeError, users.contains_many, ["a"], behind=wrong)
        for wrong in (("1" * 31, 5), ("", 5), ("0" * 32, 5), ("1" * 32, -1), ("1" * 32, 2**64), ("g" * 32, 5)):
            self.assertRaises(ValueError, users.contains_many, ["a"], behind=wrong)
            self.assertRaises(ValueError, users.contains_many, [], behind=wrong)
            self.assertRaises(ValueError, users.presence_many, ["a"], behind=wrong)
            self.assertRaises(ValueError, users.contains, "a", behind=wrong)


if __name__ == "__main__":
    unittest.main()
