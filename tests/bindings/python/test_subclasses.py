# SPDX-License-Identifier: Apache-2.0
"""What a subclass keeps in its instances goes where the filter goes."""
import copy
import pickle
import unittest

from pybloomery import BloomFilter


class Named(BloomFilter):
    def __init__(self, *args, **options):
        self.name = "users"
        self.tags = ["a"]


class Slotted(BloomFilter):
    __slots__ = ("name", "tags")
    __init__ = Named.__init__


class Stateful(Named):
    def __getstate__(self):
        return {"kept": self.name}

    def __setstate__(self, state):
        self.name, self.tags = state["kept"], ["a"]


def pickled(filter):
    return pickle.loads(pickle.dumps(filter))


class Subclasses(unittest.TestCase):
    def test_attributes_are_kept_by_every_copy(self):
        for cls in (Named, Slotted, Stateful):
            f = cls(1000)
            f.add("alice")
            f.name = "people"
            for make in (BloomFilter.copy, copy.copy, copy.deepcopy, pickled, lambda f: f | BloomFilter(1000)):
                g = make(f)
                self.assertIs(type(g), cls)
                self.assertEqual((g.name, g.tags), ("people", ["a"]))
                self.assertIn("alice", g)
                self.assertNotIn("bob", g)

    def test_a_class_has_arguments_of_its_own(self):
        class Tagged(BloomFilter):
            def __init__(self, tag, users, **options):
                super().__init__(users * 2, **options)
                self.tag = tag

        f = Tagged("people", 500, kind="counting")
        self.assertEqual((f.tag, f.capacity, f.info()["kind"]), ("people", 1000, "counting"))
        self.assertEqual(Tagged(7, 500).capacity, 1000)
        f.add("alice")
        for g in (f.copy(), copy.deepcopy(f), f | ["bob"]):
            self.assertEqual((g.tag, "alice" in g), ("people", True))
        with self.assertRaisesRegex(TypeError, "made already"):
            f.__init__("people", 9)
        self.assertIn("alice", f)

    def test_a_class_that_makes_no_filter_is_told_so(self):
        class Forgetful(BloomFilter):
            def __init__(self, name):
                self.name = name

        f = Forgetful("users")
        for call in (lambda: f.add("a"), lambda: "a" in f, lambda: len(f), lambda: f.save("users.bloom")):
            with self.assertRaisesRegex(ValueError, r"super\(\).__init__\(capacity\)"):
                call()
        self.assertEqual(repr(f), "<Forgetful, closed>")

    def test_a_deep_copy_shares_nothing_and_meets_itself(self):
        f = Named(1000)
        f.itself = f
        g, h = copy.copy(f), copy.deepcopy(f)
        self.assertIs(g.tags, f.tags)
        self.assertIsNot(h.tags, f.tags)
        self.assertIs(h.itself, h)
        self.assertIs(pickled(f).itself.itself.__class__, Named)

    def test_a_filter_without_attributes_is_pickled_as_before(self):
        f = BloomFilter(1000)
        f.add("alice")
        self.assertIn("alice", pickled(f))
        self.assertIsNone(f.__reduce__()[2])


if __name__ == "__main__":
    unittest.main()
