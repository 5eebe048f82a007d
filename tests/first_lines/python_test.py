# SPDX-License-Identifier: Apache-2.0
"""What people type first in Python, and what they are told."""
import os
import tempfile
import unittest

import numpy

from pybloomery import BloomFilter


class FirstLines(unittest.TestCase):
    def test_many_keys_stand_where_one_should(self):
        f = BloomFilter(1000)
        for keys in (["a"], ("a", "b"), {"a"}, {"a": 1}, numpy.array(["a"]), numpy.array([1, 2]), iter("a")):
            for call in (f.add, f.__contains__, f.presence):
                with self.assertRaisesRegex(TypeError, "a key is a str, bytes or an int, not .*; many are a batch of such"):
                    call(keys)
        for key in (None, 1.5, True, object(), numpy.float64(7)):
            with self.assertRaisesRegex(TypeError, "a key is a str, bytes or an int, not [^;]*$"):
                f.add(key)
        self.assertEqual(len(f), 0)

    def test_an_option_that_the_kind_does_not_have(self):
        for options in ({"window": "24h"}, {"window_ms": 5}, {"generations": 4}, {"kind": "counting", "window": "24h"}):
            with self.assertRaisesRegex(ValueError, "forgets nothing and has no window; kind is to be windowed"):
                BloomFilter(1000, **options)
        for options in ({"expansion": 4}, {"tightening": 0.5}, {"kind": "windowed", "expansion": 4}):
            with self.assertRaisesRegex(ValueError, "does not grow; kind is to be scalable"):
                BloomFilter(1000, **options)
        with self.assertRaisesRegex(ValueError, "a static filter forgets nothing"):
            BloomFilter.build(["a"], kind="static", window="24h")

    def test_a_url_is_written_in_two_ways(self):
        plain, escaped = "http://a.com/caf\u00e9", "HTTP://a.com:80/caf%c3%a9"
        for stored, asked in ((plain, escaped), (escaped, plain)):
            f = BloomFilter(1000, 1e-6, keys="text --normalise url")
            f.update([stored])
            self.assertTrue(f.add("http://a.com/other"))
            self.assertIn(asked, f)
            self.assertEqual(f.contains_many([asked, stored, "http://a.com/th\u00e9"]), [True, True, False])
            self.assertNotIn("http://a.com/th\u00e9", f)
        self.assertIn("http://m\u00fcnchen.de/", f)  # as xn--mnchen-3ya.de it may be there
        self.assertEqual(f.contains_many(["http://m\u00fcnchen.de/", "http://b.de/"]), [True, False])
        for call in (f.add, lambda url: f.update([url])):
            with self.assertRaisesRegex(ValueError, "write it as the DNS does, with xn--"):
                call("http://m\u00fcnchen.de/")

    def test_a_file_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(FileNotFoundError) as caught:
                BloomFilter.load(os.path.join(folder, "users.bloom"))
            self.assertEqual(caught.exception.filename, os.path.join(folder, "users.bloom"))


if __name__ == "__main__":
    unittest.main()
