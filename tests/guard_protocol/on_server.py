# SPDX-License-Identifier: Apache-2.0
"""on_server.py LANGUAGE WORD...: runs the words as a command on an empty server, with its port and `yes` or `no`, whether it has
the module, after them; `@built` is where the
language's programs are. Exits with 77 where something of the language is not here."""
import subprocess
import sys

from actors import BUILT, build, missing
from server import Server

if missing(sys.argv[1]):
    print(f"skipped: {sys.argv[1]} needs {', '.join(missing(sys.argv[1]))}", file=sys.stderr)
    sys.exit(77)
build(sys.argv[1])
with Server() as server:
    sys.exit(subprocess.call([*(word.replace("@built", str(BUILT)) for word in sys.argv[2:]), str(server.port), "yes" if server.has_module() else "no"]))
