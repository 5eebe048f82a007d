#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make_more_fixtures.sh COMMAND MODULE SHARER FOLDER: writes into FOLDER, beside what make_fixtures.sh writes, by a version's own
# command, module and library: files that processes shared (SHARER is share_file.cc, built with that version), and one server's dump,
# append-only file and DUMP payloads with trailers behind other systems' bitmaps, partitions, windows, filters that grew, and loads
# that are under way. Each filter holds the keys k1 to k100. upgrade_more_test.sh asks the newest version for them.
set -eu
command=$1
module=$2
sharer=$3
# shellcheck source=tests/upgrade/server.sh
. "$(dirname "$0")/server.sh"
mkdir -p "$4/payloads"
cd "$4"

for name in live closed; do
  rm -f $name.shared
  "$command" create $name.shared -n 150 -p 0.001 >/dev/null
done
"$sharer" live.shared closed.shared

start_server --appendonly yes --aof-use-rdb-preamble no
ask() {
  said=$(redis-cli -s "$work/s" "$@")
  case $said in *ERR*) echo "$*: $said" >&2 && exit 1 ;; esac
}
# shellcheck disable=SC2046 # the words are arguments
fill() { ask BLOOM.MADD "$1" $(words); }
ask BLOOM.RESERVE grown 0.001 10
ask BLOOM.RESERVE secret 0.001 150 SECRET
ask BLOOM.RESERVE classic 0.001 150 LAYOUT classic EXPANSION 0
ask BLOOM.RESERVE window1 0.001 150 WINDOW 315360000 GENERATIONS 1
ask BLOOM.RESERVE window7 0.001 150 WINDOW 315360000 GENERATIONS 7
ask BLOOM.RESERVE half 0.001 150
for key in grown secret classic window1 window7 half; do fill $key; done
ask BLOOM.LOAD half BEGIN # the filter that is there takes what comes, and a load beside it
fill half
ask BLOOM.LOAD only_half BEGIN # there is no filter: the load alone has what comes
# shellcheck disable=SC2046 # the words are arguments
ask BF.MADD only_half $(words)
ask BLOOM.RESERVE stepped 0.001 150
fill stepped
identity=$(redis-cli -s "$work/s" BLOOM.INFO stepped WATERMARK | head -n 1)
ask BLOOM.ADVANCE stepped EPOCH "$identity" FROM - TO 000102030405060708090a0b0c0d0e0f:77 ITEMS k1
for key in grown secret classic window1 window7 half only_half stepped; do
  redis-cli -s "$work/s" DUMP $key | head -c -1 >payloads/$key
done
redis-cli -s "$work/s" DUMP '{half}.loading' | head -c -1 >payloads/half.loading
for place in 'gozero:redis+unix://%s?bits=4000&trailer=1#gozero' 'redisson:redis+unix://%s?trailer=1#redisson' \
  'bitmap:redis+unix://%s?partitions=2#parts' 'bitmap:redis+unix://%s#whole'; do
  # shellcheck disable=SC2059 # the place is the format
  location=$(printf "$place" "$work/s")
  "$command" create "$location" -n 150 -p 0.001 --as text >/dev/null
  words | "$command" insert "$location" --as text >/dev/null
done
ask CONFIG SET rdbcompression no
ask SAVE
ask BGREWRITEAOF
until redis-cli -s "$work/s" INFO persistence | grep -q 'aof_rewrite_in_progress:0'; do sleep 0.1; done
cp "$work/dump.rdb" more.rdb
cat "$work"/appendonlydir/*.base.aof >more.aof
ls payloads
