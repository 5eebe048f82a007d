# SPDX-License-Identifier: Apache-2.0
"""Fences of those who cannot ask the database for one."""
import http.client
import re
import socket
import threading
import urllib.parse

from ._steps import GuardError


class NoFence(GuardError):
    """The follower gives no fence: load from the database."""


def _end(connection: http.client.HTTPConnection) -> None:
    """Ends what waits for bytes of the connection."""
    try:
        if connection.sock:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it is over already


def _ask(url: str, timeout: float) -> tuple:
    """The status, and up to 500 bytes. A socket's own limit is of each read, so a timer ends a peer that sends on and on."""
    parts = urllib.parse.urlsplit(url.rstrip("/") + "/fence")
    kind = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}.get(parts.scheme)
    if not kind or not parts.hostname:
        raise ValueError(f"{url} is no http://HOST:PORT")
    connection = kind(parts.hostname, parts.port, timeout=timeout)
    timer = threading.Timer(timeout, _end, [connection])
    timer.daemon = True
    timer.start()
    try:
        connection.connect()
        connection.request("GET", parts.path)
        if not timer.is_alive():
            raise TimeoutError(f"{url} does not answer within {timeout} s")
        reply = connection.getresponse()
        return reply.status, reply.read(500).decode(errors="replace")
    finally:
        timer.cancel()
        connection.close()


def follower_fence(url: str, timeout: float = 3) -> tuple:
    """Asks `bloomery follow --metrics` at http://HOST:PORT how far the database is now: the source and position that get(fence=...)
    takes. Call it after the request came. Raises NoFence, also after `timeout` seconds. With asyncio:
    await asyncio.to_thread(follower_fence, url)."""
    try:
        status, said = _ask(url, timeout)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise NoFence(f"{url}: {error!r}") from error
    if status != 200:
        raise NoFence(said.strip())
    found = re.fullmatch(r"([0-9a-f]{32}) ([0-9]{1,20})\n", said)
    if not found:
        raise NoFence(f"{url} is no follower's")
    return found.groups()
