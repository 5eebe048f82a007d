#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# upgrade_test.sh COMMAND MODULE FOLDER: asks this version for every key that older versions stored in FOLDER/VERSION
# (make_fixtures.sh), in files, in a server's dump and in its append-only file; inserts into copies of the files; and sees that
# strangers are absent. An empty MODULE, or no redis-server, leaves out the server. Exit status 1: a key is not found.
set -eu
command=$1
module=$2
fixtures=$3
# shellcheck source=tests/upgrade/checks.sh
. "$(dirname "$0")/checks.sh"

check_files() {
  for file in "$fixtures/$version"/*.bloom; do
    name=$(basename "$file" .bloom)
    check_place "$name" "$file"
    [ "$name" != static ] || continue
    cp "$file" "$work/copy.bloom"
    echo 4242 | "$command" insert "$work/copy.bloom" >/dev/null || wrong "$name: takes no new key"
    check_place "$name" "$work/copy.bloom"
    [ "$(echo 4242 | "$command" check -c "$work/copy.bloom")" = 1 ] || wrong "$name: a new key is not found"
  done
  for format in guava redisson; do
    check_place "$format" "$format:$fixtures/$version/$format.bits" --as text
  done
}

# count_ones NAME COMMAND KEY: how many of the keys a server's command says 1 of.
count_ones() {
  # shellcheck disable=SC2046 # the words are arguments
  ones=$(redis-cli -s "$work/s" "$2" "$3" $(words) | grep -c '^1$') || :
  [ "$ones" = 100 ] || wrong "$1: $2 $3 finds $ones keys of 100"
}

# check_server WHAT OPTIONS: a server that reads what stands in $work.
check_server() {
  serve "$@" || return 0
  for key in bf bf_grown blocked counting window; do count_ones "$what" BF.MEXISTS $key; done
  for key in blocked counting window; do count_ones "$what" BLOOM.CHECK $key; done
  count_ones "$what" CF.MEXISTS cf
  check_place "$what bitmap:" "bitmap:redis+unix://$work/s#plain"
  check_place "$what redisson:" "redisson:redis+unix://$work/s?trust=bits#redisson" --as text
  end_server
}

count=0
for folder in "$fixtures"/*/; do
  version=$(basename "$folder")
  count=$((count + 1))
  check_files
  [ -n "$module" ] && command -v "$server" >/dev/null && command -v redis-cli >/dev/null || continue
  cp "$folder/dump.rdb" "$work/dump.rdb"
  check_server dump --appendonly no
  cp "$folder/appendonly.aof" "$work/appendonly.aof"
  check_server "append-only file" --appendonly yes
done
echo "$count older versions"
[ "$count" -ge 1 ] || exit 1
exit $status
