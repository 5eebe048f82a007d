# SPDX-License-Identifier: Apache-2.0
"""Every interleaving of readers and writers over the two strings of one entry, as docs/guard_protocol.md has them.

Steps are atomic, as the script is. A writer inserts (it announces, commits, erases), changes or deletes (it commits, erases).
Readers and writers crash, entries and leases go at any moment, a dead writer's mark too; a get may come twice, the second time
late. A state is (row, entry, lease, readers, writers, deny floor, floor, counter):
  row      (version, is there): odd and even versions of every commit, so that an old answer is known
  entry    None, or (kind, version), kind N, V, or R: a value whose moment to be refreshed has come
  lease    None, ('L', reader, number), or ('O', frozenset of writers)
  floors   the least version that "no such row" may be of, and that any answer may be of
"""
from collections import deque

FAULTS = ("", "put without lease", "no mark", "one mark for all", "negative entry stays at announcing", "erase leaves the lease")


def after_get(entry, lease, mine, number):
    """What get answers, and the lease after it."""
    if entry and entry[0] in "VR":
        if entry[0] == "R" and lease is None:
            return "refresh", ("L", mine, number)
        return "value", lease
    if lease and lease[0] == "O":
        return "open", lease
    if entry:
        return "none", lease
    if lease is None:
        return "lease", ("L", mine, number)
    return "wait", lease


def after_put(entry, lease, held, written):
    return (written, None, True) if lease == held else (entry, lease, False)


def after_announce(entry, lease, writer):
    marks = lease[1] if lease and lease[0] == "O" else frozenset()
    return (None if entry and entry[0] == "N" else entry), ("O", marks | {writer})


def after_erase(lease, writer):
    marks = lease[1] - {writer} if lease and lease[0] == "O" else frozenset()
    return None, ("O", marks) if marks else None


class Model:
    def __init__(self, readers, writers, rounds, fault="", refresh=True, repeats=1):
        self.fault, self.refresh = fault, refresh
        idle = ("idle", None, None, rounds, repeats)
        self.start = ((0, False), None, None, (idle,) * readers, tuple((kind, "start") for kind in writers), 0, 0, 0)

    def steps(self, state):
        """(next state, what happened, the step of the server or None) of each possible step; and what is wrong."""
        row, entry, lease, readers, writers, deny, floor, number = state
        found, wrong = [], []

        def go(what, server=None, **changes):
            now = dict(row=row, entry=entry, lease=lease, readers=readers, writers=writers, deny=deny, floor=floor, number=number)
            now.update(changes)
            found.append((tuple(now.values()), what, server))

        if entry:
            go("entry goes", entry=None)
            if entry[0] == "V" and self.refresh:
                go("moment to refresh comes", entry=("R", entry[1]))
        if lease and lease[0] == "L":
            go("lease goes", lease=None)
        if lease and lease[0] == "O":
            dead = {w for w in lease[1] if writers[w][1] in ("dead", "end")}
            if dead == set(lease[1]):
                go("marks go", lease=None)
        for i, (step, held, have, left, repeats) in enumerate(readers):
            def reader(*changed, i=i):
                return readers[:i] + (changed,) + readers[i + 1:]
            if step == "idle" and left:
                answer, leased = after_get(entry, lease, i, number)
                if answer in ("value", "refresh", "none"):
                    if answer == "none" and entry[1] < deny:
                        wrong.append(f"reader {i} is told no such row, of {entry[1]}, below {deny}")
                    if entry[1] < floor:
                        wrong.append(f"reader {i} gets {entry}, below {floor}")
                if answer in ("value", "none"):
                    go(f"reader {i} gets {answer}", ("get", i), readers=reader("idle", None, None, left - 1, repeats))
                elif answer == "open":
                    go(f"reader {i} finds it open", ("get", i), readers=reader("query", None, None, left - 1, repeats))
                elif answer in ("lease", "refresh"):
                    go(f"reader {i} takes the {answer}", ("get", i), lease=leased, number=number + 1,
                       readers=reader("query", leased, None, left - 1, repeats))
                else:
                    go(f"reader {i} waits", ("get", i))
            elif step == "query":
                go(f"reader {i} reads {row}", readers=reader("have", held, row, left, repeats))
                go(f"reader {i} crashes", readers=reader("idle", None, None, 0, 0))
                go(f"reader {i} drops", ("drop", held), lease=None if lease == held else lease, readers=reader("idle", None, None, left, repeats))
            elif step == "have":
                written = ("V" if have[1] else "N", have[0])
                allowed = held if self.fault != "put without lease" else lease
                put, leased, done = after_put(entry, lease, allowed, written) if held or self.fault == "put without lease" else (entry, lease, False)
                go(f"reader {i} puts {written}: {done}", ("put", held, written), entry=put, lease=leased, readers=reader("idle", None, None, left, repeats))
            if step in ("query", "have") and repeats and held:
                _, leased = after_get(entry, lease, i, number)
                go(f"reader {i}'s get comes again", ("get", i), lease=leased, number=number + 1, readers=reader(step, held, have, left, repeats - 1))
        for j, (kind, step) in enumerate(writers):
            def writer(now, j=j, kind=kind):
                return writers[:j] + ((kind, now),) + writers[j + 1:]
            if step == "start" and kind == "insert":
                gone, marked = after_announce(entry, lease, j)
                if self.fault == "negative entry stays at announcing":
                    gone = entry
                if self.fault == "no mark":
                    marked = lease
                go(f"writer {j} announces", ("announce", j), entry=gone, lease=marked, writers=writer("ready"))
            elif step in ("start", "ready"):
                version = row[0] + 1
                if kind == "insert":
                    go(f"writer {j} inserts {version}", row=(version, True), deny=deny if row[1] else version, writers=writer("committed"))
                    go(f"writer {j} rolls back", writers=writer("rolled"))
                elif kind == "change" and row[1]:
                    go(f"writer {j} changes to {version}", row=(version, True), writers=writer("committed"))
                elif kind == "delete" and row[1]:
                    go(f"writer {j} deletes at {version}", row=(version, False), writers=writer("committed"))
                else:
                    go(f"writer {j} has nothing to do", writers=writer("end"))
            elif step in ("committed", "rolled"):
                gone, marked = after_erase(lease, j)
                if self.fault == "one mark for all":
                    marked = None
                if self.fault == "erase leaves the lease" and lease and lease[0] == "L":
                    marked = lease
                go(f"writer {j} erases", ("erase", j), entry=gone, lease=marked, floor=max(floor, row[0]) if step == "committed" else floor,
                   writers=writer("end"))
                go(f"writer {j} crashes", writers=writer("dead"))
        return found, wrong

    def explore(self, see=lambda state, next_state, server: None):
        """How many states there are, and the first wrong one's story, or None."""
        seen, queue, bad = {self.start: None}, deque([self.start]), None
        while queue:
            state = queue.popleft()
            found, wrong = self.steps(state)
            if wrong and not bad:
                story, at = [wrong[0]], state
                while seen[at]:
                    at, what = seen[at]
                    story.append(what)
                bad = list(reversed(story))
                if self.fault:
                    return len(seen), bad
            for after, what, server in found:
                see(state, after, server)
                if after not in seen:
                    seen[after] = (state, what)
                    queue.append(after)
        return len(seen), bad
