# SPDX-License-Identifier: Apache-2.0
"""The cache guard for Python, over redis-py: filter, cache and single flight on one server, shared with every other language.

    users = Guard(redis.Redis(), "users", filter="users:filter")
    row = users.get("alice", load_user)

This folder needs redis-py, and no native code. docs/guard_protocol.md says what it does on the server, docs/python.md how it is
used. Guards may be used by many threads (Guard) or tasks (AsyncGuard) at once.
"""
from ._fences import NoFence, follower_fence
from ._steps import Bytes, GuardError, Json, NotAnnounced, NotErased, Overloaded, WaitedTooLong
from ._tasks import AsyncAnnouncement, AsyncGuard
from ._threads import Announcement, Guard

__all__ = ["Announcement", "AsyncAnnouncement", "AsyncGuard", "Bytes", "Guard", "GuardError", "Json", "NoFence", "NotAnnounced", "NotErased",
           "Overloaded", "WaitedTooLong", "follower_fence"]
