#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rolling.sh OLD_MODULE NEW_MODULE: upgrades a primary and its replica one after the other, as an operator does, while keys are added
# all the time: first the replica gets the newer module, then it is promoted, then the old primary follows it with the newer module.
# Before that it also follows with the older module, as in an upgrade that is taken back. Fails if one acknowledged key is missing.
# Not part of the tests, which have no older module; REDIS_SERVER names the server.
set -eu
server=${REDIS_SERVER:-redis-server}
work=$(mktemp -d)
pids=""
trap 'kill $pids 2>/dev/null || :; rm -rf "$work"' EXIT
# start NAME PORT MODULE: prints the process id.
start() {
  mkdir -p "$work/$1"
  "$server" --port "$2" --bind 127.0.0.1 --dir "$work/$1" --save '' --appendonly no --daemonize no --loadmodule "$3" >"$work/$1/log" 2>&1 &
  pids="$pids $!"
  until redis-cli -p "$2" PING >/dev/null 2>&1; do
    kill -0 $! 2>/dev/null || {
      tail -n 3 "$work/$1/log" >&2
      exit 1
    }
    sleep 0.05
  done
}
on() { redis-cli -p "$@"; }
a=$((20000 + $$ % 20000))
b=$((a + 1))
filters="bf blocked counting window"
make() {
  on $a BF.RESERVE bf 0.001 2000
  on $a BLOOM.RESERVE blocked 0.001 2000
  on $a BLOOM.RESERVE counting 0.001 2000 COUNTING
  on $a BLOOM.RESERVE window 0.001 20000 WINDOW 315360000
} >/dev/null
# add PORT FROM TO: each key into each filter, and into a set that counts them.
add() {
  for filter in $filters; do
    # shellcheck disable=SC2046 # the words are arguments
    on "$1" BF.MADD $filter $(seq -f 'k%g' "$2" "$3") >/dev/null
  done
}
in_step() {
  until [ "$(on $a INFO replication | sed -n 's/^master_repl_offset:\([0-9]*\).*/\1/p')" = \
    "$(on $b INFO replication | sed -n 's/^master_repl_offset:\([0-9]*\).*/\1/p')" ] &&
    on "$1" INFO replication | grep -q 'master_link_status:up'; do sleep 0.05; done
}
check() {
  for filter in $filters; do
    # shellcheck disable=SC2046 # the words are arguments
    found=$(on "$1" BF.MEXISTS $filter $(seq -f 'k%g' 1 "$2") | grep -c '^1$') || :
    [ "$found" = "$2" ] || {
      echo "$3: $filter has $found keys of $2" >&2
      exit 1
    }
  done
}
start a $a "$1"
make
add $a 1 300
start b $b "$2"
on $b REPLICAOF 127.0.0.1 $a >/dev/null # a full synchronisation: the older module's dump
in_step $b
add $a 301 600 # its stream of commands
in_step $b
check $b 600 "newer replica of an older primary"
on $b REPLICAOF NO ONE >/dev/null
add $b 601 900
on $a REPLICAOF 127.0.0.1 $b >/dev/null # taken back: the older module follows the newer
in_step $a
add $b 901 1200
in_step $a
check $a 1200 "older replica of a newer primary"
on $a SHUTDOWN NOSAVE >/dev/null 2>&1 || :
start a2 $a "$2"
on $a REPLICAOF 127.0.0.1 $b >/dev/null
in_step $a
add $b 1201 1500
in_step $a
check $a 1500 "newer replica of a newer primary"
check $b 1500 "newer primary"
echo "1500 keys in each of $(echo $filters | wc -w) filters, none lost"
