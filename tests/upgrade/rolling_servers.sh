#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rolling_servers.sh OLD_SERVER NEW_SERVER MODULE [COMMAND]: upgrades the servers of a cluster one after the other, as an operator does,
# while keys are added all the time. The cluster has three primaries, each with a replica, and filters of every kind in the slots of
# each: first each replica is started anew as NEW_SERVER on what it has stored and gets what came meanwhile, then it is promoted
# (CLUSTER FAILOVER), then the old primary follows as NEW_SERVER. Fails if one acknowledged key is missing, or a filter that was half
# loaded does not go on. Then the same with one primary and its replica, without a cluster. Not part of the tests, which have one
# server: tools/servers brings others.
set -eu
old=$1
new=$2
module=$3
work=$(mktemp -d)
trap 'end_all; rm -rf "$work"' EXIT
base=$((20000 + $$ % 20000))
end_all() {
  touch "$work/stop"
  [ ! -s "$work/adder" ] || wait "$(cat "$work/adder")" 2>/dev/null || :
  for each in "$work"/*/pid; do [ ! -e "$each" ] || kill "$(cat "$each")" 2>/dev/null || :; done
  for each in "$work"/*/pid; do [ ! -e "$each" ] || wait "$(cat "$each")" 2>/dev/null || :; done
}
give_up() {
  echo "rolling_servers.sh: $*" >&2
  exit 1
}
port() { echo $((base + $1)); }
on() {
  node=$1
  shift
  redis-cli -p "$(port "$node")" "$@"
}
# start NODE SERVER: on what its folder has.
start() {
  mkdir -p "$work/$1"
  "$2" --port "$(port "$1")" --bind 127.0.0.1 --dir "$work/$1" --appendonly yes --repl-diskless-sync-delay 0 --daemonize no \
    $cluster --loadmodule "$module" >>"$work/$1/log" 2>&1 &
  echo $! >"$work/$1/pid"
  until [ "$(on "$1" PING 2>/dev/null)" = PONG ]; do
    kill -0 $! 2>/dev/null || give_up "node $1 does not start: $(tail -n 3 "$work/$1/log")"
    sleep 0.05
  done
}
end() {
  on "$1" SHUTDOWN SAVE >/dev/null 2>&1 || :
  wait "$(cat "$work/$1/pid")" 2>/dev/null || :
}
field() { on "$1" INFO replication | sed -n "s/^$2:\([^,]*\).*/\1/p" | tr -d '\r'; }
# follows NODE PRIMARY: waits until it is in step.
follows() {
  tries=0
  until [ "$(field "$1" master_link_status)" = up ] && [ "$(field "$1" slave_repl_offset)" -ge "$(field "$2" master_repl_offset)" ] 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || give_up "node $1 does not follow node $2: $(tail -n 5 "$work/$1/log")"
    sleep 0.05
  done
}
kinds="bf cf blocked classic counting window secret expiring"
# The hash tags of filters in the slots of each primary.
tags="a b c d e f"
make() {
  for tag in $tags; do
    ask BF.RESERVE "bf{$tag}" 0.001 100 # grows
    ask CF.RESERVE "cf{$tag}" 20000
    ask BLOOM.RESERVE "blocked{$tag}" 0.001 20000
    ask BLOOM.RESERVE "classic{$tag}" 0.001 20000 LAYOUT classic EXPANSION 0
    ask BLOOM.RESERVE "counting{$tag}" 0.001 20000 COUNTING
    ask BLOOM.RESERVE "window{$tag}" 0.001 20000 WINDOW 315360000
    ask BLOOM.RESERVE "secret{$tag}" 0.001 20000 SECRET
    ask BLOOM.RESERVE "expiring{$tag}" 0.001 20000 EX 86400
    ask BLOOM.RESERVE "half{$tag}" 0.001 20000
    ask BF.MADD "half{$tag}" before
    ask BLOOM.LOAD "half{$tag}" BEGIN
  done
}
ask() {
  said=$(redis-cli $to_all -p "$(port 0)" "$@") || give_up "$*: $said"
  case $said in *ERR* | *CLUSTERDOWN*) give_up "$*: $said" ;; esac
}
# Adds k1, k2 ... to every filter, ten at once, until $work/stop is there; what was answered is in $work/added. What a failover
# refuses is sent again.
keep_adding() {
  number=0
  while [ ! -e "$work/stop" ]; do
    keys=$(seq -f 'k%g' $((number + 1)) $((number + 10)))
    for tag in $tags; do
      for kind in $kinds half; do
        if [ $kind = cf ]; then command="CF.INSERT cf{$tag} ITEMS"; else command="BF.MADD $kind{$tag}"; fi
        # shellcheck disable=SC2086 # the words are arguments
        until redis-cli $to_all -p "$(adder_port)" $command $keys 2>/dev/null | grep -qx '[01]'; do sleep 0.02; done
      done
    done
    number=$((number + 10))
    echo $number >"$work/added.new"
    mv "$work/added.new" "$work/added"
  done
}
adder_port() { cat "$work/primary_port"; }
# Waits until so many keys more are in.
more() {
  from=$(cat "$work/added")
  until [ "$(cat "$work/added")" -ge $((from + 30)) ]; do sleep 0.05; done
}
check() {
  count=$(cat "$work/added")
  for tag in $tags; do
    for kind in $kinds; do
      if [ $kind = cf ]; then command=CF.MEXISTS; else command=BF.MEXISTS; fi
      # shellcheck disable=SC2046 # the words are arguments
      found=$(redis-cli $to_all -p "$(adder_port)" $command "$kind{$tag}" $(seq -f 'k%g' 1 "$count") | grep -c '^1$') || :
      [ "$found" = "$count" ] || give_up "$1: $kind{$tag} has $found keys of $count"
      asked=$((asked + count))
    done
    found=$(redis-cli $to_all -p "$(adder_port)" BF.MEXISTS "half{$tag}" before k1 "k$count" | grep -c '^1$') || :
    [ "$found" = 3 ] || give_up "$1: half{$tag} has $found keys of 3"
    asked=$((asked + 3))
    said=$(redis-cli $to_all -p "$(adder_port)" BLOOM.LOAD "half{$tag}" BEGIN ID another 2>&1)
    [ "$said" = OK ] || give_up "$1: half{$tag}: $said"
    [ "$(redis-cli $to_all -p "$(adder_port)" TTL "expiring{$tag}")" -gt 80000 ] || give_up "$1: expiring{$tag} does not expire as it did"
  done
}
asked=0
begin() {
  rm -f "$work/stop"
  port 0 >"$work/primary_port"
  echo 0 >"$work/added"
  make
  keep_adding &
  echo $! >"$work/adder"
  more
}
finish() {
  more
  touch "$work/stop"
  wait "$(cat "$work/adder")"
  check "$1"
  for each in $nodes; do
    case $(on "$each" INFO server) in *"$version"*) ;; *) give_up "node $each is no $version" ;; esac
  done
}
version=$("$new" --version | sed 's/.* v=\([0-9.]*\).*/\1/')

cluster="--cluster-enabled yes --cluster-node-timeout 5000"
to_all=-c
nodes="0 1 2 3 4 5"
for node in $nodes; do start "$node" "$old"; done
redis-cli --cluster create --cluster-replicas 0 --cluster-yes "127.0.0.1:$(port 0)" "127.0.0.1:$(port 1)" "127.0.0.1:$(port 2)" \
  >"$work/create" 2>&1 || give_up "$(cat "$work/create")"
for node in 3 4 5; do
  on $node CLUSTER MEET 127.0.0.1 "$(port 0)" >/dev/null
  id=$(on $((node - 3)) CLUSTER MYID)
  until [ "$(on $node CLUSTER REPLICATE "$id" 2>&1)" = OK ]; do sleep 0.1; done
  follows $node $((node - 3))
done
begin
for replica in 3 4 5; do
  primary=$((replica - 3))
  end $replica
  start $replica "$new"
  follows $replica $primary
  more
  # A replica that does not know of its cluster again yet, refuses.
  until [ "$(field $replica role)" = master ]; do
    on $replica CLUSTER FAILOVER >/dev/null 2>&1 || :
    sleep 0.3
  done
  until [ "$(field $primary role)" = slave ]; do sleep 0.05; done
  [ $primary != 0 ] || port 3 >"$work/primary_port"
  more
  end $primary
  start $primary "$new"
  follows $primary $replica
done
finish "the cluster"
in_cluster=$(cat "$work/added")
end_all
rm -rf "${work:?}"/[0-9]*

cluster=""
to_all=""
nodes="0 1"
base=$((base + 100))
start 0 "$old"
begin
start 1 "$new"
on 1 REPLICAOF 127.0.0.1 "$(port 0)" >/dev/null
follows 1 0
more
on 0 CLIENT PAUSE 20000 WRITE >/dev/null
follows 1 0
on 1 REPLICAOF NO ONE >/dev/null
port 1 >"$work/primary_port"
on 0 CLIENT KILL TYPE normal SKIPME yes >/dev/null
end 0
start 0 "$new"
on 0 REPLICAOF 127.0.0.1 "$(port 1)" >/dev/null
follows 0 1
finish "the pair"
echo "$("$old" --version | sed 's/ *sha.*//') to $version: $in_cluster keys in a cluster, $(cat "$work/added") in a pair, in each filter; $asked asked, none lost"
