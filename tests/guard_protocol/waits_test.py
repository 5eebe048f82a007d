# SPDX-License-Identifier: Apache-2.0
"""Announcements that wait for replicas, by the client of each language over its connections. A language that is not here is left out.
C++ says in its location how it waits, the others with each announcement."""
import os
import signal
import unittest

from actors import DRIVERS, Actor, build, missing
from server import Server, lease, wait_until


class Waits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.actors = {}
        cls.languages = [each for each in DRIVERS if not missing(each)]
        for language in cls.languages:
            build(language)
        cls.primary, cls.replica = Server(), Server()
        cls.primary.redis.config_set("repl-diskless-sync-delay", 0)
        cls.replica.redis.replicaof("127.0.0.1", cls.primary.port)
        with cls.primary.redis.pipeline(transaction=False) as both:  # the primary counts a replica after its first acknowledgement
            wait_until(lambda: both.set("begun", 1).wait(1, 1000).execute()[1] == 1)

    @classmethod
    def tearDownClass(cls):
        cls.replica.stop()
        cls.primary.stop()

    def actor(self, language, wait):
        key = (language, wait if language == "cpp" else None)
        if key not in self.actors:
            self.actors[key] = actor = Actor(language)
            self.addCleanup(actor.kill)
            options = {"wait": wait} if language == "cpp" else {}
            self.assertEqual({"did": "open"}, actor.do(do="open", port=self.primary.port, name=language, options=options))
        return self.actors[key]

    def announce(self, language, key, replicas, limit):
        actor = self.actor(language, f"{replicas},{limit}")
        return actor.do(do="announce", keys=[key], wait=replicas, limit=limit, **{"as": key})

    def test_it_is_announced_once_the_replica_has_it(self):
        for language in self.languages:
            with self.subTest(language):
                self.assertEqual({"did": "announce"}, self.announce(language, "a", 1, 3000))
                self.assertTrue(self.replica.redis.exists(lease("a", language)))
                self.assertEqual({"held": True}, self.actor(language, "1,3000").do(do="renew", **{"as": "a"}))
                self.assertEqual({"error": "NotAnnounced"}, self.announce(language, "more", 2, 50))
                os.kill(self.replica.process.pid, signal.SIGSTOP)
                try:  # WAIT on a connection that wrote nothing would say 1 here, at once
                    self.assertEqual({"error": "NotAnnounced"}, self.announce(language, "late", 1, 50))
                finally:
                    os.kill(self.replica.process.pid, signal.SIGCONT)
                self.assertEqual([lease("a", language)], self.primary.redis.keys(f"{language}:*"))
                self.assertEqual({"did": "announce"}, self.announce(language, "b", 1, 3000))


if __name__ == "__main__":
    unittest.main()
