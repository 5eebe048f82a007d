#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# short_links_test.sh PHP SOURCE COMMAND: a PHP program and the command on one filter in Redis, each asking for what the other
# added. REDIS_SERVER is the server's program.
set -eu
php=$1 source=$2 command=$3
"$php" -m | grep -qix redis || {
  echo "PHP here has no redis extension (apt-get install php-redis)" >&2
  exit 1
}
folder=$(mktemp -d)
"${REDIS_SERVER:-redis-server}" --port 0 --unixsocket "$folder/s" --dir "$folder" --save '' >"$folder/log" 2>&1 &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$folder"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
  [ -S "$folder/s" ] && break
  sleep 0.1
done
place="php:redis+unix://$folder/s?size_kb=128&trust=bits#moved"
seq 0 49999 | sed 's/^/0000/; s/.*\(.....\)$/l\1/' >"$folder/moved.txt"
"$command" load "$folder/moved.txt" "$place" >"$folder/load"
"$php" "$source/examples/short_links.php" "$folder/s"
found=$(printf '%s\n' new0001 l00007 l49999 | "$command" check -c "$place")
[ "$found" = 3 ]
