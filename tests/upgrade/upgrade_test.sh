#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# upgrade_test.sh COMMAND MODULE FOLDER: asks this version for every key that older versions stored in FOLDER/VERSION
# (make_fixtures.sh), in files, in a server's dump and in its append-only file; inserts into copies of the files; and sees that
# strangers are absent. An empty MODULE, or no redis-server, leaves out the server. Exit status 1: a key is not found.
set -eu
command=$1
module=$2
fixtures=$3
server=${REDIS_SERVER:-redis-server}
work=$(mktemp -d)
pid=""
end_server() {
  [ -z "$pid" ] || { kill "$pid" && wait "$pid" || :; }
  pid=""
}
trap 'end_server; rm -rf "$work"' EXIT
status=0
wrong() {
  echo "$*" >&2
  status=1
}
words() { seq -f 'k%g' 100; }
strangers() { seq -f 'x%g' 100; }

# check_place NAME LOCATION [OPTIONS]: all keys are found, and at most five of a hundred strangers.
check_place() {
  name=$1
  shift
  case $name in
    *_u64) found=$(seq 100 | "$command" check -c "$@") || : ;;
    *) found=$(words | "$command" check -c "$@") || : ;;
  esac
  [ "$found" = 100 ] || wrong "$version: $name: ${found:-no} keys of 100 are found"
  case $name in
    *_u64) found=$(seq 1001 1100 | "$command" check -c "$@") || : ;;
    *) found=$(strangers | "$command" check -c "$@") || : ;;
  esac
  [ "${found:-100}" -le 5 ] || wrong "$version: $name: ${found:-unknown} strangers of 100 are found"
}

check_files() {
  for file in "$fixtures/$version"/*.bloom; do
    name=$(basename "$file" .bloom)
    check_place "$name" "$file"
    [ "$name" != static ] || continue
    cp "$file" "$work/copy.bloom"
    echo 4242 | "$command" insert "$work/copy.bloom" >/dev/null || wrong "$version: $name: takes no new key"
    check_place "$name" "$work/copy.bloom"
    [ "$(echo 4242 | "$command" check -c "$work/copy.bloom")" = 1 ] || wrong "$version: $name: a new key is not found"
  done
  for format in guava redisson; do
    check_place "$format" "$format:$fixtures/$version/$format.bits" --as text
  done
}

# count_ones NAME COMMAND KEY: how many of the keys a server's command says 1 of.
count_ones() {
  # shellcheck disable=SC2046 # the words are arguments
  ones=$(redis-cli -s "$work/s" "$2" "$3" $(words) | grep -c '^1$') || :
  [ "$ones" = 100 ] || wrong "$version, $1: $2 $3 finds $ones keys of 100"
}

# check_server WHAT OPTIONS: a server that reads what stands in $work.
check_server() {
  what=$1
  shift
  "$server" --port 0 --unixsocket "$work/s" --dir "$work" --save '' --daemonize no "$@" --loadmodule "$module" >"$work/log" 2>&1 &
  pid=$!
  until [ "$(redis-cli -s "$work/s" PING 2>/dev/null)" = PONG ]; do
    kill -0 "$pid" 2>/dev/null || {
      tail -n 5 "$work/log" >&2
      pid=""
      wrong "$version: the server does not start with the $what"
      return
    }
    sleep 0.05
  done
  for key in bf bf_grown blocked counting window; do count_ones "$what" BF.MEXISTS $key; done
  for key in blocked counting window; do count_ones "$what" BLOOM.CHECK $key; done
  count_ones "$what" CF.MEXISTS cf
  check_place "$what bitmap:" "bitmap:redis+unix://$work/s#plain"
  check_place "$what redisson:" "redisson:redis+unix://$work/s?trust=bits#redisson" --as text
  end_server
  rm -f "$work/s"
}

count=0
for folder in "$fixtures"/*/; do
  version=$(basename "$folder")
  count=$((count + 1))
  check_files
  [ -n "$module" ] && command -v "$server" >/dev/null && command -v redis-cli >/dev/null || continue
  cp "$folder/dump.rdb" "$work/dump.rdb"
  check_server dump --appendonly no
  rm -rf "$work/dump.rdb" "$work/appendonlydir"
  cp "$folder/appendonly.aof" "$work/appendonly.aof"
  check_server "append-only file" --appendonly yes
  rm -rf "$work/appendonlydir" "$work/appendonly.aof"
done
echo "$count older versions"
[ "$count" -ge 1 ] || exit 1
exit $status
