# SPDX-License-Identifier: Apache-2.0
"""Script and commands of the module are equal: the same steps, sensible ones and others, give equal answers and leave equal strings."""
import os
import random
import re
import unittest

import redis

from server import SCRIPT, OnServer, entry, lease

LONG = bool(os.environ.get("BLOOMERY_LONG"))
TOKENS = ["0" * 31 + digit for digit in "abc"] + ["short", ""]
LIVES = ["60000", "3600000", "315360000000", "0", "-1", "1e3", " 5000", "5000.0", "0x10", "nan", "", "315360000001", "9" * 30]
ENTRIES = [b"N", b"V0000000000000x", b"V0000000000001old", b"V9999999999999new", b"V", b"Vshort", b"V00000000000x1y", b"V            1y", b"V0x000000000fy",
           b"?", b"", b"NN", b"V0000000000000", b"Vnan0000000000y"]
PAST, FUTURE = b"1600000000000", b"9000000000000"
LEASES = [b"L" + b"0" * 31 + b"a" + b"0" * 16, b"L", b"Lx", b"O", b"?", b"", b"O" + b"0" * 31 + b"a" + FUTURE, b"O" + b"0" * 31 + b"b" + PAST,
          b"O" + b"0" * 31 + b"a" + FUTURE + b"0" * 31 + b"c" + FUTURE, b"O" + b"0" * 31 + b"b" + b"         9e12", b"O" + b"0" * 31 + b"a" + FUTURE[:12],
          b"Oinf" + FUTURE]
FAMILIES = ["BLOOM", "BF", "", "bloom", "NONE.BLOOM", "NONE", "X\0BLOOM", "DEL\0BLOOM"]


def is_equal(one, other):
    """Moments and lives, which are large numbers, differ by what a busy machine may take for a step."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(is_equal, one, other))
    if isinstance(one, int) and isinstance(other, int) and min(one, other) > 1000:
        return abs(one - other) < 20_000
    return one == other


class Ways(OnServer, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.environ.get("BLOOMERY_MODULE"):
            raise unittest.SkipTest("BLOOMERY_MODULE names no module")
        super().setUpClass()
        cls.redis.execute_command("BLOOM.RESERVE", "bloom", 0.0001, 1000)
        cls.redis.execute_command("BF.RESERVE", "bf", 0.0001, 1000)
        cls.redis.set("{bf}:markers", "mark")
        cls.redis.execute_command("BF.MADD", "bf", *(f"bloomery-marker:mark:{i}" for i in range(8)))
        cls.identity = cls.server.do("open", ["bloom"], "BLOOM").decode()
        cls.redis.set("text", "x")

    def both(self, verb, keys, *arguments):
        """What script and commands answer, of the guards `s` and `c`. Ids of leases are named by the step that gave them out."""
        said = []
        for way in "sc":
            names = [key.replace(b"@:", way.encode() + b":", 1) for key in keys]
            words = [self.ids[way].get(each, each) if isinstance(each, str) else each for each in arguments]
            try:
                if way == "s":
                    answer = self.redis.eval(SCRIPT, len(names), *names, verb, *words)
                else:
                    answer = self.redis.execute_command("GUARD." + verb, len(names), *names, *words)
            except redis.ResponseError as error:
                answer = "error", str(error)
            said.append(self.plain(answer, way))
        return said

    def plain(self, answer, way):
        if isinstance(answer, list):
            return [self.plain(each, way) for each in answer]
        if isinstance(answer, bytes) and len(answer) == 48 and answer[32:].isdigit():
            names = {held: name for name, held in self.ids[way].items()}
            return names.get(answer) or self.name_id(way, answer)
        if isinstance(answer, tuple):
            text = re.sub(r" (script: |@user_script|user_script).*", "", answer[1]).rstrip(". ")
            for no_command in ("Unknown Redis command", "unknown command", "Unknown Valkey", "Unknown", "unknown"):
                if no_command in text:
                    return "no command"
            return re.sub(r"^ERR ", "", text)
        return answer

    def name_id(self, way, held):
        name = f"id{len(self.ids[way])}"
        self.ids[way][name] = held
        return name

    def standing(self, way):
        found = []
        for name in (b"a", b"b", b"c"):
            for key in (entry(name, way), lease(name, way)):
                kind = self.redis.type(key)
                text = self.redis.get(key) if kind == b"string" else kind
                for number, held in self.ids[way].items():
                    text = text and text.replace(held, number.encode())
                moments = rb"17\d{11}|18\d{11}|19\d{11}|2\d{12}"
                found.append((re.sub(moments, b"<>", text or b""), [int(each) for each in re.findall(moments, text or b"")], self.redis.pttl(key)))
        return found

    def require_equal(self, one, other, where):
        if not is_equal(one, other):
            self.assertEqual(one, other, where)

    def step(self, draw):
        key = draw.choice((b"a", b"b", b"c"))
        rows = draw.sample((b"a", b"b", b"c"), draw.choice((1, 1, 2, 3)))
        keys = [each for row in rows for each in (entry(row, "@"), lease(row, "@"))]
        filter = draw.choice((None, None, b"bloom", b"bf", b"text", b"gone"))
        family = {b"bloom": "BLOOM", b"bf": "BF"}.get(filter, draw.choice(FAMILIES)) if draw.random() < 0.9 else draw.choice(FAMILIES)
        identity = {"BLOOM": self.identity, "BF": "mark"}.get(family, "x") if draw.random() < 0.9 else draw.choice(("", "x"))
        source, position = draw.choice((("", ""),) * 8 + (("ab" * 16, "7"), ("x", "y")))
        token = draw.choice(TOKENS[:3]) if draw.random() < 0.95 else draw.choice(TOKENS)
        life = draw.choice(LIVES[:2]) if draw.random() < 0.9 else draw.choice(LIVES)
        asked = keys + [filter] if filter else keys
        known = list(self.ids["s"]) or ["x"]
        do = draw.randrange(100)
        if do < 30:
            return "get", asked, family, identity, source, position, token, life, *rows[:draw.choice((3,) * 30 + (1, 0))]
        if do < 50:
            words = [each for _ in rows for each in (draw.choice(known[-3:] + known[-1:] * 3 + ["x"]), draw.choice("VVNNNVZ" if draw.random() < 0.2 else "VN"), life,
                                                       draw.choice(("0", "0", "100000", *LIVES)), draw.choice((b"", b"row", b"\0\xff")))]
            return "put", keys, *words[:draw.choice((99,) * 30 + (4, 0))]
        if do < 57:
            return "drop", keys, *(draw.choice(known[-3:] + known[-1:] * 3 + ["x"]) for _ in rows)
        if do < 70:
            return "announce", asked, family, "", "", "", token, life, *rows
        if do < 80:
            return "erase", keys, draw.choice(TOKENS)
        if do < 84:
            return "ask", [filter or b"bloom"], family, identity, source, position, *rows
        if do < 87:
            return "insert", [filter or b"bloom"], family, *rows[:draw.choice((0, 3))]
        if do < 89:
            return "open", [filter or b"bloom", b"{bf}:markers"][:draw.choice((1, 2))], family
        if do < 92:
            return draw.choice(("enter", "leave")), [b"@:queries"], token, *draw.choice(((), ("2", "60000"), ("x", "60000"), ("2", "0")))
        return "set", key, draw.choice((0, 1))

    def do_step(self, draw, where):
        words = self.step(draw)
        if words[0] != "set":
            self.redis.config_set("maxmemory", 1 if draw.random() < 0.1 else 0)
            answers = self.both(*words)
            self.redis.config_set("maxmemory", 0)
            self.require_equal(*answers, f"{where}: {words}")
            self.require_equal(self.standing("s"), self.standing("c"), f"{where}: {words}")
            return
        _, key, which = words
        bytes_ = draw.choice((ENTRIES, LEASES)[which])
        life, kind = draw.choice((None, 60000)), draw.randrange(8)
        for way in "sc":
            name = (entry, lease)[which](key, way)
            self.redis.delete(name)
            if kind == 0:
                self.redis.rpush(name, "x")
            elif kind > 1:
                self.redis.set(name, bytes_, px=life)

    def test_equal_answers_and_equal_strings(self):
        for seed in range(2000 if LONG else 8):
            draw = random.Random(seed)
            self.ids = {"s": {}, "c": {}}
            self.redis.delete(*(key for way in "sc" for name in (b"a", b"b", b"c") for key in (entry(name, way), lease(name, way))), "s:queries", "c:queries")
            for self.number in range(60):
                self.do_step(draw, f"seed {seed}, step {self.number}")


if __name__ == "__main__":
    unittest.main()
