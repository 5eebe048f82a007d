# SPDX-License-Identifier: Apache-2.0
"""Threads and children of fork() that use one filter."""
import contextlib
import gc
import os
import sys
import threading
import unittest

import numpy

import pybloomery
from pybloomery import BloomFilter


class Together(unittest.TestCase):
    def test_batches_run_without_the_interpreters_lock(self):
        f = BloomFilter(1_000_000)
        keys = numpy.arange(400_000)
        before = sys.getswitchinterval()
        sys.setswitchinterval(1000)  # from here on only who gives the lock away loses it
        self.addCleanup(sys.setswitchinterval, before)
        for call in (f.update, f.contains_many):
            for _ in range(100):
                state = []

                def run():
                    state.append("inside")
                    call(keys)
                    state.append("done")

                thread = threading.Thread(target=run)
                thread.start()
                seen = list(state)
                thread.join()
                if seen == ["inside"]:
                    break
            self.assertEqual(seen, ["inside"], call)

    def test_threads_lose_no_key(self):
        for kind in ("blocked", "scalable"):
            f = BloomFilter(40_000, kind=kind)
            wrong = []

            def work(number):
                for begin in range(number * 10_000, number * 10_000 + 10_000, 500):
                    keys = numpy.arange(begin, begin + 500)
                    f.update(keys[:400])
                    for key in range(begin + 400, begin + 500):
                        f.add(key)
                    if not f.contains_many(keys).all() or not all(k in f for k in keys[::50].tolist()):
                        wrong.append(begin)
                    f.copy() if begin % 5000 == 0 else len(f)

            threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
            self.assertEqual(wrong, [])
            self.assertTrue(f.contains_many(numpy.arange(40_000)).all())

    def test_a_refused_key_ends_no_other_threads_doubt(self):
        f = BloomFilter(1000, keys="i64")

        def batch():
            with self.assertRaises(ValueError):
                f.update(["1"] * 3000 + ["x"])

        for _ in range(10):
            thread = threading.Thread(target=batch)
            thread.start()
            while 1 not in f:
                pass
            with self.assertRaises(ValueError):
                f.add("nonsense")
            thread.join()
            self.assertIn(1, f)
            f.acknowledge()

    def test_a_failing_call_touches_no_filter_that_was_closed_meanwhile(self):
        class Closer:
            """Closes the filter when its cycle is collected, and makes another of the memory that is then free."""

            def __init__(self):
                self.itself = self

            def __del__(self):
                with contextlib.suppress(RuntimeError):
                    f.close()
                other = BloomFilter(1000, keys="text")
                with contextlib.suppress(pybloomery.KeyFormError):
                    other.update([42])
                others.append(other)

        thresholds = gc.get_threshold()
        self.addCleanup(gc.set_threshold, *thresholds)
        for fail in (lambda: f.add(42), lambda: f._merge(larger)):
            others = []
            f, larger = BloomFilter(1000, keys="text"), BloomFilter(7000, keys="text")
            gc.collect()
            gc.disable()
            Closer()
            try:
                raise LookupError  # while one is handled, the next is made at once
            except LookupError:
                gc.enable()
                gc.set_threshold(1, 1, 1)
                try:
                    fail()
                except pybloomery.Error:
                    pass
                gc.set_threshold(*thresholds)
            gc.collect()
            self.assertIn("is in doubt", others[0])

    def test_a_filter_is_not_closed_under_a_call(self):
        f = BloomFilter(100)

        def keys():
            with self.assertRaises(RuntimeError):
                f.close()
            yield "a"

        self.assertEqual(f.update(keys()), 1)
        f.close()

    def test_a_child_of_fork_goes_on(self):
        f = BloomFilter(100_000)
        f.update(range(1000))
        stop = threading.Event()

        def churn():
            while not stop.is_set():
                f.update(numpy.arange(1000, 6000))

        thread = threading.Thread(target=churn)
        thread.start()
        try:
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    good = False
                    try:
                        f.update(numpy.arange(50_000, 51_000))
                        good = all(f.contains_many(range(1000))) and 50_999 in f and 7 in f.copy()
                    finally:
                        os._exit(0 if good else 1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            stop.set()
            thread.join()

    def in_child(self, call):
        """Whether it is true of a child, where what it raises is false."""
        child = os.fork()
        if child == 0:
            good = False
            try:
                good = call()
            finally:
                os._exit(0 if good else 1)
        return os.waitpid(child, 0)[1] == 0

    def test_a_child_of_fork_closes_what_its_parents_threads_were_asking(self):
        f = BloomFilter(1000)
        inside, go = threading.Event(), threading.Event()

        def keys():
            yield "a"
            inside.set()
            go.wait(60)

        def close():
            good = f.add("b") and "b" in f
            refused = threading.Event()

            def own():
                try:
                    f.close()
                except RuntimeError:
                    refused.set()
                yield "c"

            f.update(own())  # of a call of the child's own it is still refused
            f.close()
            return good and refused.is_set() and f.closed

        thread = threading.Thread(target=f.update, args=(keys(),))
        thread.start()
        inside.wait(60)
        try:
            self.assertTrue(self.in_child(close))
            self.assertTrue(self.in_child(lambda: self.in_child(close)))
            with self.assertRaises(RuntimeError):
                f.close()
        finally:
            go.set()
            thread.join()
        f.close()

    def test_a_child_that_is_born_within_a_call_ends_it(self):
        f = BloomFilter(10_000)
        parent = os.getpid()
        children = []

        def keys(closes):
            yield 1
            children.append(os.fork())
            if closes and os.getpid() != parent:
                f.close()
            yield from range(5000)

        for closes in (False, True):
            try:
                good = f.update(keys(closes)) > 0 or closes
                good = good and (f.closed if closes and os.getpid() != parent else 4999 in f)
                if os.getpid() != parent:
                    f.close()
            finally:
                if os.getpid() != parent:
                    os._exit(0 if good else 1)
            self.assertEqual(os.waitpid(children.pop(), 0)[1], 0)
        f.close()
