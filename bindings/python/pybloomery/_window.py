# SPDX-License-Identifier: Apache-2.0
"""Lengths of time as people write them."""

import datetime
import re

_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


def milliseconds_of(window):
    """Returns the milliseconds of a ``timedelta`` or of what the command takes: ``"24h"``."""
    if isinstance(window, datetime.timedelta):
        return window // datetime.timedelta(milliseconds=1)
    if not isinstance(window, str):
        raise TypeError(f'window is a timedelta or a text such as "24h", not {type(window).__name__}')
    written = re.fullmatch(r"([0-9]+)(ms|s|m|h|d|w)", window)
    if written is None:
        raise ValueError(f"window is a whole number and a unit, 500ms, 90s, 15m, 24h, 7d or 2w, not {window!r}")
    return int(written[1]) * _UNITS[written[2]]
