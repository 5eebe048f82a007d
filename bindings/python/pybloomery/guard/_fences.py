# SPDX-License-Identifier: Apache-2.0
"""Fences of those who cannot ask the database for one."""
import http.client
import re
import urllib.error
import urllib.request

from ._steps import GuardError


class NoFence(GuardError):
    """The follower gives no fence: load from the database."""


def follower_fence(url: str, timeout: float = 3) -> tuple:
    """Asks `bloomery follow --metrics` at http://HOST:PORT how far the database is now: the source and position that get(fence=...)
    takes. Call it after the request came. Raises NoFence. With asyncio: await asyncio.to_thread(follower_fence, url)."""
    try:
        try:
            reply = urllib.request.urlopen(url.rstrip("/") + "/fence", timeout=timeout)
        except urllib.error.HTTPError as refusal:
            reply = refusal  # says why
        with reply:
            said = reply.read(500).decode(errors="replace")
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise NoFence(str(error)) from error
    if reply.status != 200:
        raise NoFence(said.strip())
    found = re.fullmatch(r"([0-9a-f]{32}) ([0-9]{1,20})\n", said)
    if not found:
        raise NoFence(f"{url} is no follower's")
    return found.groups()
