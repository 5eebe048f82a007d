#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make_fixtures.sh COMMAND MODULE FOLDER: writes what a version of this project stores, by its own command and module, into FOLDER:
# files of every kind, and one server's dump, append-only file and plain strings. Each filter holds the keys k1 to k100, or the
# integers 1 to 100 if its name ends in _u64. upgrade_test.sh asks the newest version for them. Run once for each version that users
# may have; the result is checked in.
set -eu
command=$1
module=$2
# shellcheck source=tests/upgrade/server.sh
. "$(dirname "$0")/server.sh"
mkdir -p "$3"
cd "$3"

for kind in blocked classic counting classic-counting scalable; do
  "$command" create "$kind.bloom" -n 150 -p 0.001 --kind "$kind" >/dev/null
  words | "$command" insert "$kind.bloom" >/dev/null
done
"$command" create low_rate.bloom -n 150 -p 0.000001 >/dev/null
words | "$command" insert low_rate.bloom >/dev/null
"$command" create secret.bloom -n 150 -p 0.001 --secret >/dev/null
words | "$command" insert secret.bloom >/dev/null
"$command" create windowed.bloom -n 150 -p 0.001 --kind windowed >/dev/null
words | "$command" insert windowed.bloom >/dev/null
"$command" create blocked_u64.bloom -n 150 -p 0.001 --as u64 >/dev/null
seq 100 | "$command" insert blocked_u64.bloom >/dev/null
words >words.txt
"$command" load words.txt static.bloom -n 150 -p 0.001 --kind static >/dev/null
rm words.txt
for format in guava redisson; do
  "$command" create "$format:$format.bits" -n 150 -p 0.001 --as text >/dev/null
  words | "$command" insert "$format:$format.bits" --as text >/dev/null
done

start_server --appendonly yes --aof-use-rdb-preamble no
ask() { redis-cli -s "$work/s" "$@" >/dev/null; }
# shellcheck disable=SC2046 # the words are arguments
fill() { ask "$1" "$2" $(words); }
ask BF.RESERVE bf 0.001 150
fill BF.MADD bf
ask BF.RESERVE bf_grown 0.001 10
fill BF.MADD bf_grown
ask CF.RESERVE cf 150
for word in $(words); do ask CF.ADD cf "$word"; done
ask BLOOM.RESERVE blocked 0.001 150
fill BLOOM.MADD blocked
ask BLOOM.RESERVE counting 0.001 150 COUNTING
fill BLOOM.MADD counting
ask BLOOM.RESERVE window 0.001 150 WINDOW 3153600000 || ask BLOOM.RESERVE window 0.001 150 WINDOW 315360000
fill BLOOM.MADD window
"$command" create "bitmap:redis+unix://$work/s#plain" -n 150 -p 0.001 >/dev/null
words | "$command" insert "bitmap:redis+unix://$work/s#plain" >/dev/null
"$command" create "redisson:redis+unix://$work/s#redisson" -n 150 -p 0.001 >/dev/null
words | "$command" insert "redisson:redis+unix://$work/s#redisson" --as text >/dev/null
redis-cli -s "$work/s" --no-auth-warning KEYS '*' >"$work/keys"
ask CONFIG SET rdbcompression no
ask SAVE
ask BGREWRITEAOF
until redis-cli -s "$work/s" INFO persistence | grep -q 'aof_rewrite_in_progress:0'; do sleep 0.1; done
cp "$work/dump.rdb" dump.rdb
cat "$work"/appendonlydir/*.base.aof >appendonly.aof
grep -c . "$work/keys"
