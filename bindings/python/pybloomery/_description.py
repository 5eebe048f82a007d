# SPDX-License-Identifier: Apache-2.0
"""What repr() says of a filter."""

from ._bloomery import Error


def describe(filter):
    """Returns where it is, how full, and whether keys may be missing; asks no server for that."""
    name = type(filter).__name__
    if filter.closed:
        return f"<{name}, closed>"
    place = filter._place()
    facts = [f"{place!r}, mode {getattr(filter, '_mode', 'r')!r}"] if place else []
    if "://" not in place and "+unix:" not in place:
        try:
            count, capacity = len(filter), filter.capacity
            full = f", {count / capacity:.0%} full" if capacity else ""
            facts.append(f"{count} of {capacity} keys{full}")
        except Error as error:
            facts.append(str(error))
    if filter.in_doubt:
        facts.append("in doubt: keys may be missing, see acknowledge()")
    return f"<{name}: {', '.join(facts)}>"
