# SPDX-License-Identifier: Apache-2.0
"""The model finds no wrong answer, finds one for each fault, and the script does each of its steps as it does."""
import os
import random
import unittest

import model
from actors import IS_LEFT_OUT
from server import OnServer, entry, lease

LONG = bool(os.environ.get("BLOOMERY_LONG"))
KEY = b"alice"
HOUR = 3_600_000


def token(kind, which, number=0):
    return f"{kind}{which:015x}{number:016x}"


def id_of(held):
    return token("a", held[1], held[2]) + "0" * 16


class Script:
    """The two strings of a model's state, and its steps, on a server."""

    def __init__(self, server):
        self.server, self.redis, self.ids = server, server.redis, {}

    def now(self):
        seconds, micros = self.redis.time()
        return seconds * 1000 + micros // 1000

    def put_state(self, what, held):
        self.redis.delete(entry(KEY), lease(KEY))
        if what:
            kind, version = what
            self.redis.set(entry(KEY), "N" if kind == "N" else f"V{int(kind == 'R'):013d}{version}", px=HOUR)
        if held and held[0] == "L":
            self.ids[held] = id_of(held)
            self.redis.set(lease(KEY), "L" + id_of(held), px=HOUR)
        elif held:
            till = self.now() + HOUR
            self.redis.set(lease(KEY), "O" + "".join(token("b", w) + f"{till:013d}" for w in sorted(held[1])), px=HOUR)

    def state(self, known):
        """What stands there, as the model says it; a lease is that of `known` if it has its token."""
        what, held = self.redis.mget(entry(KEY), lease(KEY))
        if what:
            what = ("N",) if what == b"N" else ("R" if int(what[1:14]) else "V", int(what[14:]))
        if held and held[:1] == b"O":
            held = ("O", frozenset(int(held[at + 1:at + 16], 16) for at in range(1, len(held), 45)))
        elif held:
            number = int(held[17:33], 16)
            held = ("L", int(held[2:17], 16), number)
        return what, held

    def do(self, step, number, again=None):
        if step[0] == "get":
            mine = token("a", step[1], number if again is None else again)
            answer = self.server.run("get", [KEY], "", "", "", "", mine, HOUR, KEY)[0]
            if answer[0] in (b"lease", b"value") and answer[-1][:32] == mine.encode():
                self.ids["L", step[1], number] = answer[-1].decode()
            return answer[0].decode()
        if step[0] == "drop":
            return self.server.run("drop", [KEY], self.ids[step[1]] if step[1] else "x") if step[1] else 0
        if step[0] == "put":
            if not step[1]:
                return 0  # a client without a lease puts nothing
            kind, version = step[2]
            return self.server.run("put", [KEY], self.ids[step[1]], kind, HOUR, 0, version if kind == "V" else "")[0]
        if step[0] == "announce":
            return self.server.run("announce", [KEY], "", "", "", "", token("b", step[1]), HOUR, KEY)
        return self.server.run("erase", [KEY], token("b", step[1]))


def same(model_state, script_state):
    what, held = model_state
    return (what and (what[:1] if what[0] == "N" else what)) == script_state[0] and held == script_state[1]


class Replay(OnServer, unittest.TestCase):
    module = os.environ.get("GUARD_WAY") == "commands"

    def setUp(self):
        if IS_LEFT_OUT:
            self.skipTest("BLOOMERY_LONG runs it")

    def test_each_step_of_every_interleaving(self):
        sizes = [(1, ("insert", "delete"), 2), (2, ("insert",), 1), (1, ("insert", "insert"), 1), (1, ("insert", "change"), 2)]
        if LONG:
            sizes += [(2, ("insert",), 2), (2, ("insert", "insert"), 1), (2, ("insert", "delete"), 1), (2, ("insert", "change"), 2),
                      (1, ("insert", "delete", "insert"), 1)]
        script, seen, states = Script(self.server), set(), 0

        def see(before, after, step):
            if step is None:
                return
            what, held, number = before[1], before[2], before[7]
            # A repeated get has the token of the first.
            again = None
            if step[0] == "get" and before[3][step[1]][0] != "idle":
                again = before[3][step[1]][1][2]
            # Numbers matter only in being equal.
            numbers = {}
            def small(one):
                return ("L", one[1], numbers.setdefault(one[2], len(numbers))) if one and one[0] == "L" else one
            kind = (what, small(held), step[0], step[1] if step[0] not in ("put", "drop") else small(step[1]), step[2:], again and small(("L", 0, again)))
            if kind in seen:
                return
            seen.add(kind)
            script.put_state(what, held)
            if step[0] in ("put", "drop") and step[1]:
                script.ids.setdefault(step[1], id_of(step[1]))
            script.do(step, number, again)
            found = script.state(held)
            expected = after[1], after[2]
            if again is not None and held is None and after[2]:  # another lease, of the same token
                self.assertEqual(found[1], ("L", step[1], again))
                self.assertNotEqual(self.server.redis.get(lease(KEY)).decode(), "L" + id_of(found[1]))
                expected = after[1], found[1]
            self.assertTrue(same(expected, found), f"{before} {step}: {expected} is not {found}")

        for size in sizes:
            count, bad = model.Model(*size).explore(see)
            states += count
            self.assertIsNone(bad)
        print(f"{states} states, {len(seen)} different steps of the script", flush=True)
        self.assertGreater(len(seen), 100)

    def test_walks_through_the_model(self):
        draw = random.Random(46)
        for _ in range(3000 if LONG else 150):
            script = Script(self.server)
            script.put_state(None, None)
            writers = tuple(draw.choice(("insert", "insert", "change", "delete")) for _ in range(draw.randint(1, 3)))
            one = model.Model(draw.randint(1, 3), writers, 3, repeats=0)
            state = one.start
            while True:
                found, wrong = one.steps(state)
                self.assertEqual(wrong, [])
                if not found:
                    break
                after, what, step = draw.choice(found)
                if step:
                    answer = script.do(step, state[7])
                    if step[0] == "get":
                        expected = model.after_get(state[1], state[2], step[1], state[7])[0]
                        self.assertEqual("value" if expected == "refresh" else expected, answer)
                elif what == "entry goes":
                    self.server.redis.delete(entry(KEY))
                elif what in ("lease goes", "marks go"):
                    self.server.redis.delete(lease(KEY))
                elif what == "moment to refresh comes":
                    self.server.redis.setrange(entry(KEY), 1, f"{1:013d}")
                self.assertTrue(same((after[1], after[2]), script.state(after[2])), f"{what}: {after} is not {script.state(after[2])}")
                state = after

    def test_each_fault_is_found(self):
        for fault in model.FAULTS[1:]:
            writers = ("insert", "change") if fault == "erase leaves the lease" else ("insert", "insert")
            with self.subTest(fault):
                self.assertIsNotNone(model.Model(1 if fault != "one mark for all" else 2, writers, 2, fault).explore()[1])


if __name__ == "__main__":
    unittest.main()
