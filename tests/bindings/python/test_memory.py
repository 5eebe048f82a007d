# SPDX-License-Identifier: Apache-2.0
"""What calls leave behind."""
import sys
import unittest

import numpy

import arrow_producer as arrow
from pybloomery import BloomFilter


class Memory(unittest.TestCase):
    def test_nothing_is_leaked(self):
        f = BloomFilter(1000)
        other = f.copy()
        text, raw, number = "key ä" * 3, b"bytes that are a key", numpy.int64(5)
        keys = [text + str(i) for i in range(10)]
        array_of = numpy.array(["a", "ä" * 20] * 50)
        arrow_of = arrow.strings(keys)
        numbers = BloomFilter(1000, keys="i64")
        held = (text, raw, number, keys, keys[0], array_of, arrow_of, f, other, None, True, BloomFilter)

        def failing():
            yield "a"
            raise LookupError

        def refused(call, kind):
            try:
                call()
            except kind:
                return
            self.fail("not refused")

        def everything():
            f.add(text), text in f, f.presence(raw), number in numbers, numbers.add(7)
            f.update(keys), f.add_many(keys), f.contains_many(keys), f.presence_many(iter(keys))
            f.update(array_of), f.contains_many(array_of), f.update(arrow_of), f.contains_many(arrow_of)
            numbers.contains_many(numpy.arange(1000, dtype="i4")[::2])
            BloomFilter.build(keys), BloomFilter.from_bytes(f.to_bytes()), f | other, f.info(), f.keys
            refused(lambda: f.add(1.5), TypeError)
            refused(lambda: f.update(failing()), LookupError)
            refused(lambda: f.update(["a", 1]), TypeError)
            refused(lambda: f.update([5]), TypeError)
            refused(lambda: f.contains_many(numpy.array([1.5])), TypeError)
            refused(lambda: f.contains_many(arrow.Arrow("g", [None, b""], 0)), TypeError)
            refused(lambda: BloomFilter.build([1, "a"]), TypeError)
            refused(lambda: BloomFilter.from_bytes(b"rubbish"), ValueError)
            refused(lambda: BloomFilter(0), ValueError)
            f.acknowledge()

        def pages():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1])

        for _ in range(200):
            everything()
        before, blocks, counts = pages(), sys.getallocatedblocks(), [sys.getrefcount(each) for each in held]
        for _ in range(600):
            everything()
        after = [sys.getrefcount(each) for each in held]
        for each, now, then in zip(held, after, counts):
            self.assertLess(abs(now - then), 100, repr(each)[:40])
        self.assertLess(sys.getallocatedblocks() - blocks, 300)  # half a one a round
        self.assertLess(pages() - before, 150)  # 600 KB: a kilobyte a round
