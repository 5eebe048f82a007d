#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# list_test.sh SOURCE: examples/list.txt names every program of examples/ once, and nothing else; ./run example prints it and
# refuses other names.
set -eu
cd "$1"
listed=$(sed 's/ .*//' examples/list.txt | sort)
there=$(cd examples && ls ./*.cc ./*.php ./*.py | sed 's,^\./,,; s/\..*//' | sort)
[ "$listed" = "$there" ] || {
  printf 'examples/list.txt has\n%s\nand examples/\n%s\n' "$listed" "$there" >&2
  exit 1
}
[ "$(./run example | grep -c '^  [a-z]')" = "$(wc -l <examples/list.txt)" ]
status=0
said=$(./run example no_such 2>&1) || status=$?
[ "$status" = 2 ]
case $said in *"no example is called no_such"*) ;; *) exit 1 ;; esac
