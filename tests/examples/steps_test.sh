#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steps_test.sh SOURCE: each list of docs/contributing that has an example (examples/new_NAME.cc) names it, and the example has
# every step of the list, by its number and in its order: one that the list gains must be taken there too.
set -eu
cd "$1"
status=0
fail() {
  echo "$1" >&2
  status=1
}
for example in examples/new_*.cc; do
  name=${example#examples/new_}
  list=docs/contributing/add_a_${name%.cc}.md
  [ -e "$list" ] || {
    fail "$example has no list $list"
    continue
  }
  grep -qF "$example" "$list" || fail "$list does not name $example"
  grep -qF "$list" "$example" || fail "$example does not name $list"
  steps=$(grep -oE '^[0-9]+\.' "$list" | tr -d .)
  taken=$(grep -oE '// Step [0-9]+:' "$example" | grep -oE '[0-9]+')
  [ "$steps" = "$taken" ] || fail "$list has the steps $(echo $steps), and $example $(echo $taken)"
done
exit $status
