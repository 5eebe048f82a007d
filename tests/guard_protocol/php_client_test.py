# SPDX-License-Identifier: Apache-2.0
"""Runs php_client_test.php on a server of its own."""
import os
import pathlib
import shutil
import subprocess
import sys

from server import Server

if not shutil.which("php") or not os.path.exists("/usr/share/php/Psr/SimpleCache"):
    print("skipped: no php, or no php-psr-simple-cache", file=sys.stderr)
    sys.exit(77)
HERE = pathlib.Path(__file__).resolve().parent
with Server() as server:
    page = HERE.parents[1] / "docs/php.md"
    sys.exit(subprocess.call(["php", str(HERE / "php_client_test.php"), str(server.port), "yes" if server.has_module() else "no", str(page)]))
