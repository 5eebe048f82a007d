# SPDX-License-Identifier: Apache-2.0
"""What the guard for Go has beyond the scenes, under the race detector; and go vet."""
import sys

from actors import go, missing
from server import Server

if missing("go"):
    print(f"skipped: go needs {', '.join(missing('go'))}", file=sys.stderr)
    sys.exit(77)
go("vet", ".", "bloomery.dev/guard")
with Server() as server:
    go("test", "-race", "-count=1", ".", GUARD_PORT=str(server.port), GUARD_MODULE="yes" if server.has_module() else "no")
