# SPDX-License-Identifier: Apache-2.0
"""One file that processes change at once."""
import multiprocessing
import os
import resource
import pickle

import pybloomery
from pybloomery import BloomFilter
from support import Folder


def add_shared(path, name, count, started):
    """In another process, which it may end itself."""
    shared = pybloomery.open_shared(path)
    for number in range(count):
        shared.add(f"{name} {number}")
        if started is not None:
            started.value = number + 1
    shared.update([f"{name} of many {number}" for number in range(count)])
    shared.close()


def add_pickled(shared):
    with shared:
        return shared.add("by a pickled one"), "first" in shared


class Shared(Folder):
    def setUp(self):
        super().setUp()
        self.path = "shared.bloom"
        BloomFilter(20_000, 0.001).save(self.path)

    def test_a_file_that_could_not_be_opened_is_whole_again(self):
        BloomFilter(8_000_000).save("seen.bloom")
        child = os.fork()
        if child == 0:
            with open("/proc/self/statm") as file:
                now = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            resource.setrlimit(resource.RLIMIT_AS, (now + 2**21, now + 2**21))
            try:
                pybloomery.open_shared("seen.bloom")
            except (pybloomery.StoreError, MemoryError):
                os._exit(0)
            os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertNotIn("a", pybloomery.load("seen.bloom"))

    def test_processes_add_at_once_however_they_were_started(self):
        for method in ("fork", "spawn"):
            context = multiprocessing.get_context(method)
            with pybloomery.open_shared(self.path) as shared:
                workers = [
                    context.Process(target=add_shared, args=(self.path, f"{method} {i}", 500, None))
                    for i in range(2)
                ]
                for worker in workers:
                    worker.start()
                for worker in workers:
                    worker.join()
                    self.assertEqual(worker.exitcode, 0)
                for i in range(2):
                    self.assertIn(f"{method} {i} 499", shared)
                    names = [f"{method} {i} of many {number}" for number in range(500)]
                    self.assertTrue(all(shared.contains_many(names)))
                self.assertNotIn("nobody", shared)
        whole = pybloomery.load(self.path)
        self.assertIn("spawn 1 of many 499", whole)
        self.assertGreater(len(whole), 3950)

    def test_a_worker_that_is_killed_loses_nothing(self):
        context = multiprocessing.get_context("fork")
        added = context.Value("i", 0, lock=False)  # who is killed would keep the lock
        worker = context.Process(target=add_shared, args=(self.path, "killed", 10**7, added))
        worker.start()
        while added.value < 200:
            self.assertTrue(worker.is_alive())
        worker.kill()
        worker.join()
        with self.assertRaises(pybloomery.FormatError):
            pybloomery.load(self.path)
        with pybloomery.open_shared(self.path) as shared:
            self.assertTrue(all(f"killed {number}" in shared for number in range(added.value)))
        self.assertIn("killed 0", pybloomery.load(self.path))

    def test_children_of_fork_go_on_with_it(self):
        with pybloomery.open_shared(self.path) as shared:
            for i in range(3):
                child = os.fork()
                if child == 0:
                    good = False
                    try:
                        good = shared.add(f"child {i}")
                        shared.close()
                    finally:
                        os._exit(0 if good else 1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
                self.assertIn(f"child {i}", shared)
        self.assertIn("child 2", pybloomery.load(self.path))

    def test_filters_are_merged_into_it(self):
        own = BloomFilter(20_000, 0.001)
        own.add("merged")
        with pybloomery.open_shared(self.path) as shared, pybloomery.open_shared(self.path) as other:
            other |= own
            self.assertIn("merged", shared)
            other.add("there")
            own |= shared
            with self.assertRaises(pybloomery.IncompatibleError):
                shared |= BloomFilter(10)
            shared.acknowledge()
        self.assertIn("there", own)
        self.assertIn("merged", pybloomery.load(self.path))

    def test_it_is_pickled_as_its_path(self):
        with pybloomery.open_shared(self.path) as shared:
            shared.add("first")
            other = pickle.loads(pickle.dumps(shared))
            self.assertEqual(add_pickled(other), (True, True))
            self.assertIn("by a pickled one", shared)
            own = shared.copy()
        self.assertIn("by a pickled one", pickle.loads(pickle.dumps(own)))

    def test_who_only_reads_it_copies_it_too(self):
        with pybloomery.open_shared(self.path) as shared:
            with pybloomery.open(self.path) as reader:
                shared.add("later")
                self.assertIn("later", reader.copy())
                self.assertIn("later", BloomFilter.from_bytes(reader.to_bytes()))
                reader.save("copy.bloom")
        self.assertIn("later", pybloomery.load("copy.bloom"))

    def test_what_cannot_be_shared_is_refused(self):
        BloomFilter(100, kind="counting").save(self.path)
        with self.assertRaisesRegex(pybloomery.StoreError, "not changed in place"):
            pybloomery.open_shared(self.path)
        with self.assertRaises(ValueError):
            pybloomery.open_shared("guava:" + self.path)
