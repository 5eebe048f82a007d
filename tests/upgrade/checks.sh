# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154 # names of the script that reads this
# For upgrade_test.sh and upgrade_more_test.sh, which have set $command and $module, and set $version: what is wrong, and places
# that are asked.
# shellcheck source=tests/upgrade/server.sh
. "$(dirname "$0")/server.sh"
status=0
wrong() {
  echo "$version: $*" >&2
  status=1
}

# serve WHAT OPTIONS: starts a server on what older versions stored. Status 1: it does not start, which is wrong.
serve() {
  what=$1
  shift
  start_server "$@" && return
  wrong "the server does not start with the $what"
  return 1
}

# check_place NAME LOCATION [OPTIONS]: all keys are found, and at most five of a hundred strangers. The keys are integers if the name
# ends in _u64.
check_place() {
  name=$1
  shift
  case $name in
    *_u64) keys="seq 100" strangers="seq 1001 1100" ;;
    *) keys=words strangers="seq -f x%g 100" ;;
  esac
  found=$($keys | "$command" check -c "$@" 2>"$work/why") || :
  [ "$found" = 100 ] || wrong "$name: ${found:-no} keys of 100 are found: $(cat "$work/why")"
  found=$($strangers | "$command" check -c "$@") || :
  [ "${found:-100}" -le 5 ] || wrong "$name: ${found:-unknown} strangers of 100 are found"
}
