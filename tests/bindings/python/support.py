# SPDX-License-Identifier: Apache-2.0
"""What several of the tests need. BLOOMERY_COMMAND names the command, REDIS_SERVER a server's program."""
import os
import subprocess
import tempfile
import unittest

COMMAND = os.environ["BLOOMERY_COMMAND"]
KINDS = ["blocked", "classic", "counting", "classic-counting", "scalable", "windowed"]


def command(*words, keys=""):
    return subprocess.run(
        [COMMAND, *words], input=keys.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
    )


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.name)
