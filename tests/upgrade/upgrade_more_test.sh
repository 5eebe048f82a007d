#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# upgrade_more_test.sh COMMAND MODULE FOLDER: asks this version for every key that older versions stored in FOLDER/VERSION
# (make_more_fixtures.sh): in files that processes shared, and in a server's dump, its append-only file and DUMP payloads. Strangers
# are absent, behind trailers and fences too; of a load that is under way nothing is denied. An empty MODULE, or no redis-server,
# leaves out the server. Exit status 1: a key is not found.
set -eu
command=$1
module=$2
fixtures=$3
# shellcheck source=tests/upgrade/checks.sh
. "$(dirname "$0")/checks.sh"

# A file whose last process was killed is read on the machine and the start of it that it names, and refused on others with the way
# that takes what is there.
check_shared() {
  check_place closed.shared "$fixtures/$version/closed.shared"
  cp "$fixtures/$version/live.shared" "$work/live"
  if ! found=$(words | "$command" check -c "$work/live" 2>"$work/why"); then
    grep -q -- '--recover' "$work/why" || wrong "live.shared: $(cat "$work/why")"
  elif [ "$found" != 100 ]; then
    wrong "live.shared: $found keys of 100 are found"
  fi
  "$command" seal --recover "$work/live" >/dev/null || wrong "live.shared: cannot be made whole"
  check_place live.shared "$work/live"
}

# count WANTED WHAT REPLY COMMAND...: how many replies to a command are REPLY.
count() {
  wanted=$1
  of=$2
  reply=$3
  shift 3
  replies=$(redis-cli -s "$work/s" "$@" | grep -cx -e "$reply") || :
  [ "$replies" = "$wanted" ] || wrong "$of: $1 $2: $replies of its replies are \"$reply\", not $wanted"
}

check_keys() {
  # shellcheck disable=SC2046 # the words are arguments
  for key in grown secret classic window1 window7 half stepped; do
    count 100 "$1" 1 BLOOM.CHECK $key $(words)
    [ "$(redis-cli -s "$work/s" BLOOM.CHECK $key $(seq -f 'x%g' 100) | grep -cx 0)" -ge 95 ] || wrong "$1: $key finds strangers"
  done
  # shellcheck disable=SC2046
  count 0 "$1" 0 BLOOM.CHECK only_half $(words)
  source=000102030405060708090a0b0c0d0e0f
  # shellcheck disable=SC2046
  count 100 "$1" 1 BLOOM.CHECK stepped FENCE $source 77 $(words)
  count 1 "$1" 0 BLOOM.CHECK stepped FENCE $source 77 x1 # its watermark has come along
  count 0 "$1" 0 BLOOM.CHECK stepped FENCE $source 78 x1
}

check_strings() {
  check_place "$1, gozero" "gozero:redis+unix://$work/s?bits=4000&trailer=1#gozero"
  check_place "$1, redisson" "redisson:redis+unix://$work/s?trailer=1#redisson" --as text
  check_place "$1, parts" "bitmap:redis+unix://$work/s?partitions=2#parts"
  check_place "$1, whole" "bitmap:redis+unix://$work/s#whole"
}

count_versions=0
for folder in "$fixtures"/*/payloads; do
  folder=$(dirname "$folder")
  version=$(basename "$folder")
  count_versions=$((count_versions + 1))
  check_shared
  [ -n "$module" ] && command -v "$server" >/dev/null && command -v redis-cli >/dev/null || continue
  cp "$folder/more.rdb" "$work/dump.rdb"
  if serve dump --appendonly no; then check_keys dump && check_strings dump; fi
  end_server
  cp "$folder/more.aof" "$work/appendonly.aof"
  if serve "append-only file" --appendonly yes; then check_keys "append-only file" && check_strings "append-only file"; fi
  end_server
  serve "empty folder" --appendonly no || continue
  for payload in "$folder"/payloads/*; do
    key=$(basename "$payload" | sed 's/^half\.loading$/{half}.loading/')
    said=$(redis-cli -s "$work/s" -x RESTORE "$key" 0 <"$payload")
    [ "$said" = OK ] || wrong "RESTORE $key: $said"
  done
  check_keys payloads
  end_server
done
echo "$count_versions older versions"
[ "$count_versions" -ge 1 ] || exit 1
exit $status
