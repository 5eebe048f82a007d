#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_commands.sh SOURCE BLOOMERY: fails, naming them, where docs/commands.md lists other commands than the program has.
set -eu
has=$("$2" --help | sed -n 's/^  \([a-z]\{2,\}\)  .*/\1/p' | sort)
lists=$(sed -n '/^## Commands/,/^## Where a filter is/s/^| `\([a-z]*\)` .*/\1/p' "$1/docs/commands.md" | sort)
[ "$(echo "$has" | wc -l)" -ge 20 ]
[ "$has" = "$lists" ] || {
  printf 'the program has:\n%s\ndocs/commands.md lists:\n%s\n' "$has" "$lists" >&2
  exit 1
}
