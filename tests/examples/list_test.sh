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
for help in -h --help; do
  [ "$(./run example $help)" = "$(./run example)" ]
done

# refused MESSAGE ARGUMENTS...: ./run example does not run anything, and says why.
refused() {
  wanted=$1
  shift
  status=0
  said=$(./run example "$@" 2>&1) || status=$?
  [ "$status" = 2 ] || {
    printf './run example %s ended with %s\n' "$*" "$status" >&2
    exit 1
  }
  case $said in *"$wanted"*) ;; *)
    printf './run example %s said\n%s\n' "$*" "$said" >&2
    exit 1
    ;;
  esac
}
# A name is no pattern, and no option of grep's.
for name in no_such 'lo.*' 'log*' 'l[o]gin' 'login ' -v login.cc '
'; do
  refused "no example is called $name" "$name"
done
refused 'extra is one too many' login extra
