#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bloomery beside a plain set and python3-flor, in pairs, so that what else the machine does hits all alike.

    PYTHONPATH=build/dev/bindings/python /usr/bin/python3 benchmarks/python_sets.py

Ratios are medians over rounds; flor and NumPy where they are installed.
"""
import statistics
import time

import pybloomery

try:
    import numpy
except ImportError:
    numpy = None
try:
    import flor
except ImportError:
    flor = None

COUNT = 200_000
ROUNDS = 15


def timed(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def ask_each(keys, members):
    for key in keys:
        key in members


def nothing(keys, members):
    for key in keys:
        pass


def compare(title, calls, count=COUNT):
    """Each call once a round, in turn; the ratio of each to the first, and its nanoseconds a key."""
    times = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times[name].append(timed(call))
    first = next(iter(times.values()))
    for name, of in times.items():
        ratio = statistics.median(a / b for a, b in zip(of, first))
        print(f"{title:28} {name:12} {ratio:6.2f} x {statistics.median(of) / count * 1e9:8.1f} ns")


def main():
    for kind, keys in (
        ("str", [f"user{i:012}" for i in range(2 * COUNT)]),
        ("int", [i * 0x9E3779B97F4A7C15 % 2**63 for i in range(2 * COUNT)]),
    ):
        members, asked = keys[:COUNT], keys[::2]
        plain = set(members)
        ours = pybloomery.BloomFilter(COUNT, 0.01)
        ours.update(members)
        calls = {
            "set": lambda: ask_each(asked, plain),
            "bloomery": lambda: ask_each(asked, ours),
            "batch, list": lambda: ours.contains_many(asked),
        }
        if flor is not None:
            theirs = flor.BloomFilter(n=COUNT, p=0.01)
            texts = [str(key).encode() for key in keys]
            for key in texts[:COUNT]:
                theirs.add(key)
            calls["flor, bytes"] = lambda: ask_each(texts[::2], theirs)
        calls["loop alone"] = lambda: nothing(asked, None)
        compare(f"in, {kind}", calls)
    if numpy is not None:
        numbers = numpy.random.default_rng(1).integers(0, 2**62, 4 * COUNT)
        ours = pybloomery.BloomFilter(len(numbers))
        ours.update(numbers)
        compare(
            "batch of NumPy",
            {
                "contains": lambda: ours.contains_many(numbers),
                "update": lambda: ours.update(numbers),
                "numpy.isin": lambda: numpy.isin(numbers, numbers[:1000]),
            },
            len(numbers),
        )


if __name__ == "__main__":
    main()
