#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# new_command_test.sh EXAMPLE COMMAND: what docs/contributing/add_a_command.md asks of every command, of examples/new_command.cc.
set -eu
example=$1 command=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
  echo "new_command_test.sh: $1" >&2
  exit 1
}
says() { # says STATUS TEXT WORDS...
  wanted=$1 text=$2
  shift 2
  status=0
  "$example" "$@" >out 2>err || status=$?
  [ "$status" = "$wanted" ] || fail "$* ended with $status: $(cat out err)"
  grep -q "$text" out err || fail "$* said: $(cat out err)"
}
"$command" create empty.bloom --capacity 100 >/dev/null
"$command" create users.bloom --capacity 100 >/dev/null
echo alice | "$command" insert users.bloom >/dev/null
says 0 'fill ratio' fullness users.bloom
says 0 '"fill_ratio": *0\.' fullness users.bloom --json
says 1 'fill ratio *0' fullness empty.bloom
says 2 'none.bloom' fullness none.bloom
says 2 'FILE' fullness
says 0 'Examples:' fullness --help
# Each example of --help is a command that is there.
"$example" fullness --help | grep -o '^  example_new_command [a-z]*' | while read -r _ name; do
  "$example" "$name" --help >/dev/null || fail "--help shows $name, which is no command"
done
