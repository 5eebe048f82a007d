# SPDX-License-Identifier: Apache-2.0
"""Every scene of scenes/*.json by the actors of one language; or of several at once, each actor of the next. The words after the
program's name are languages: `python php` runs both, and both mixed. scenes/README.md describes a scene."""
import json
import os
import pathlib
import sys
import time

from actors import DRIVERS, IS_LEFT_OUT, Actor, build, missing
from server import SCRIPT, Server, entry, lease, wait_until

SCENES = sorted((pathlib.Path(__file__).resolve().parent / "scenes").glob("*.json"))
OPTIONS = {"jitter": 0, "value_life": 600, "negative_life": 60, "lease_life": 60, "mark_life": 60, "wait_limit": 30}
if os.environ.get("GUARD_WAY") == "commands":
    OPTIONS["commands"] = "GUARD"
BLOCKS = {"block": 0.1} if "commands" in OPTIONS else {}
ASKS = ("get", "get_many", "announce", "renew", "release", "erase", "reopen")


class Scene:
    """One scene, with a filter of one family or with none."""
    number = 0

    def __init__(self, server, pool, scene, family):
        Scene.number += 1
        self.server, self.pool, self.scene, self.family = server, pool, scene, family
        self.name, self.filter = f"scene{Scene.number}", f"filter{Scene.number}"
        self.opened = set()

    def run(self):
        if self.family:
            self.make_filter(self.scene["filter"])
        for number, step in enumerate(self.scene["steps"]):
            try:
                self.step(dict(step))
            except AssertionError as error:
                raise AssertionError(f"step {number + 1}, {json.dumps(step)}: {error}") from None

    def make_filter(self, keys):
        run = self.server.redis.execute_command
        items = list(keys)
        run("DEL", self.filter)
        run(f"{self.family}.RESERVE", self.filter, 0.00001, 1000)
        if self.family == "BF":
            mark = f"mark{time.monotonic_ns()}"
            run("SET", "{" + self.filter + "}:markers", mark)
            items += [f"bloomery-marker:{mark}:{i}" for i in range(8)]
        for item in items:
            run(f"{self.family}.ADD", self.filter, item)

    def actor(self, who):
        actor = self.pool[sorted(self.scene["actors"]).index(who)]
        if who not in self.opened:
            options = {**OPTIONS, **(BLOCKS if actor.language == "python" else {}), **self.scene.get("options", {})}
            if self.family:
                options.update(filter=self.filter, family=self.family)
            expect({"did": "open"}, actor.do(do="open", port=self.server.port, name=self.name, options=options))
            self.opened.add(who)
        return actor

    def key(self, text):
        if not isinstance(text, str) or not text.startswith("@"):
            return text
        what, _, key = text[1:].partition(" ")
        return {"entry": entry(key, self.name), "lease": lease(key, self.name), "filter": self.filter,
                "markers": "{" + self.filter + "}:markers"}[what]

    def step(self, step):
        if "server" in step:
            for command in step["server"]:
                self.server.redis.execute_command(*map(self.key, command))
        elif "filter" in step:
            self.make_filter(step["filter"])
        elif "add_to_filter" in step:
            self.server.redis.execute_command(f"{self.family}.ADD", self.filter, step["add_to_filter"])
        elif "stands" in step:
            for text, what in step["stands"].items():
                expect(what, self.standing(text), text)
        elif "life" in step:
            left = self.server.redis.pttl(self.key(step["life"]))
            if not step["from"] <= left <= step["to"]:
                raise AssertionError(f"it lives for {left} ms")
        elif "server_is" in step:
            if step["server_is"] == "away":
                self.server.kill()
            else:
                self.server.start()
                if self.family:
                    self.make_filter(self.scene["filter"])
        elif "kill" in step:
            self.actor(step["kill"]).kill()
            self.opened.discard(step["kill"])
        else:
            self.act(step)

    def standing(self, text):
        bytes_ = self.server.redis.get(self.key("@" + text))
        names = {b"N": "no row", b"V": "value", b"L": "a load", b"O": "marks"}
        return bytes_ and names[bytes_[:1]]

    def calls(self):
        stats = self.server.redis.info("commandstats")
        return sum(stats.get(f"cmdstat_{name}", {}).get("calls", 0) for name in ("eval", "evalsha", "guard.get"))

    def act(self, step):
        actor = self.actor(step.pop("who"))
        verb = next((each for each in ASKS if each in step), None)
        before, blocked = self.calls() if step.get("waits") else 0, self.server.redis.info("clients")["blocked_clients"] if step.get("waits") else 0
        if verb:
            keys = step.pop(verb)
            actor.begin(do=verb, keys=keys if isinstance(keys, list) else [keys], **{"as": step.pop("as", "")})
        elif "rows" in step:
            actor.begin(rows=step.pop("rows"))
        elif "load_fails" in step:
            actor.begin(error=step.pop("load_fails"))
        if step.pop("waits", False):
            wait_until(lambda: self.calls() >= before + 3 or self.server.redis.info("clients")["blocked_clients"] > blocked)
            return
        if "refreshes" in step:  # the loader is asked, and the old value comes, in any order
            for _ in range(2):
                said = actor.hear()
                if "load" in said:
                    expect(step["refreshes"], said["load"])
                    actor.begin(rows=step["loaded"])
                else:
                    expect({"rows": [step["answers"]]}, said)
            wait_until(lambda: not self.server.redis.exists(self.key("@lease " + step["refreshes"][0])))
            return
        said = actor.hear()
        if verb in ("announce", "release", "erase", "reopen") and not step:
            step = {"did": verb}
        if verb == "get_many" and "load" in step:  # of several keys, in any order
            said["load"], step["load"] = sorted(said.get("load", [])), sorted(step["load"])
        if "answers" in step:
            step = {"rows": step["answers"] if isinstance(step["answers"], list) else [step["answers"]]}
        elif "fails" in step:
            step = {"error": step["fails"]}
        expect(step, said)


def expect(wanted, got, what=""):
    if wanted != got:
        raise AssertionError(f"{what} expected {json.dumps(wanted)}, but it is {json.dumps(got)}")


def run_all(server, languages, label):
    pool = [Actor(languages[i % len(languages)]) for i in range(3)]
    count = failed = 0
    for path in SCENES:
        for scene in json.loads(path.read_text()):
            families = ([] if "filter" not in scene else ["BLOOM", "BF"] if server.has_module() else [])
            for family in scene.get("families", families) if families else [] if "filter" in scene else [None]:
                count += 1
                try:
                    Scene(server, pool, scene, family).run()
                except AssertionError as error:
                    failed += 1
                    print(f"{label}: {path.stem}: {scene['scene']}{f' ({family})' if family else ''}: {error}", flush=True)
                    for actor in pool:
                        actor.kill()
                    server.kill()
                    server.start()
    for actor in pool:
        actor.kill()
    print(f"{label}: {count - failed} of {count} scenes", flush=True)
    return failed


def main():
    if IS_LEFT_OUT:
        print("skipped: BLOOMERY_LONG runs it", file=sys.stderr)
        sys.exit(77)
    languages = sys.argv[1:] or ["python"]
    for language in languages:
        if language not in DRIVERS:
            sys.exit(f"no such language: {language}; there are {', '.join(DRIVERS)}")
        if missing(language):
            print(f"skipped: {language} needs {', '.join(missing(language))}", file=sys.stderr)
            sys.exit(77)
        build(language)
    with Server() as server:
        server.redis.script_load(SCRIPT)
        server.redis.script_flush()
        failed = sum(run_all(server, [language], language) for language in languages)
        if len(languages) > 1:
            for turn in range(len(languages)):
                failed += run_all(server, languages[turn:] + languages[:turn], f"mixed, {languages[turn]} first")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
