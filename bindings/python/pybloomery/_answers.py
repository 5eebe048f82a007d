# SPDX-License-Identifier: Apache-2.0
"""What a filter answers."""

import enum
import sys
from typing import NamedTuple


class Presence(enum.IntEnum):
    """What a filter says about a key.

    It is neither true nor false: compare it with ``Presence.ABSENT``.

    >>> bool(Presence.UNKNOWN)
    Traceback (most recent call last):
        ...
    TypeError: compare with Presence.ABSENT: MAYBE and UNKNOWN are both not it
    """

    MAYBE = 1
    UNKNOWN = 2
    ABSENT = 3

    def __bool__(self):
        raise TypeError("compare with Presence.ABSENT: MAYBE and UNKNOWN are both not it")


Presence.__module__ = "pybloomery"  # its name, in pickles too


class Size(NamedTuple):
    """What a filter takes: see :func:`size_of`."""

    bit_count: int
    probe_count: int
    lines_per_key: int


Size.__module__ = "pybloomery"


def shaped(keys, answers, is_array, dtype):
    """Shapes answers as the keys were: an array for an array, a list for an iterable."""
    if "numpy" in sys.modules and hasattr(keys, "__array__") and hasattr(keys, "dtype"):
        return sys.modules["numpy"].frombuffer(answers, dtype=dtype)
    if dtype != "bool":
        return memoryview(answers)
    view = memoryview(answers).cast("?")
    return view if is_array else view.tolist()
