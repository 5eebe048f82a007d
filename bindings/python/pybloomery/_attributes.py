# SPDX-License-Identifier: Apache-2.0
"""What a filter is beside its keys, and what it is not."""

import copyreg

from ._bloomery import Filter


def has_keys(other):
    """Whether ``|`` takes it: a filter, or what may be a batch."""
    return isinstance(other, Filter) or any(
        hasattr(other, name) for name in ("__iter__", "__arrow_c_array__", "__arrow_c_stream__")
    )


def attributes_of(filter, own_slots):
    """Returns what ``__setstate__`` takes, as :mod:`pickle` has it, or None where there is nothing.

    ``own_slots`` are names of this package, which belong to one object and are not carried on.
    """
    get = getattr(type(filter), "__getstate__", None)
    if get is not None and get is not getattr(object, "__getstate__", None):
        return filter.__getstate__()
    slots = {}
    for name in copyreg._slotnames(type(filter)):
        if name not in own_slots and hasattr(filter, name):
            slots[name] = getattr(filter, name)
    named = getattr(filter, "__dict__", None) or None
    return (named, slots) if slots else named


def set_attributes(filter, state):
    """Gives the filter what :func:`attributes_of` another returned, as :mod:`pickle` would."""
    if state is None:
        return filter
    if hasattr(filter, "__setstate__"):
        filter.__setstate__(state)
        return filter
    named, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if named:
        filter.__dict__.update(named)
    for name, value in (slots or {}).items():
        setattr(filter, name, value)
    return filter
