#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# redirects_test.sh PHP SOURCE COMMAND MODULE: a PHP page that asks a filter of the module, which the command made of the table.
# REDIS_SERVER is the server's program.
set -eu
php=$1 source=$2 command=$3 module=$4
"$php" -m | grep -qix redis || {
  echo "PHP here has no redis extension (apt-get install php-redis)" >&2
  exit 1
}
folder=$(mktemp -d)
"${REDIS_SERVER:-redis-server}" --port 0 --unixsocket "$folder/s" --dir "$folder" --save '' --loadmodule "$module" >"$folder/log" 2>&1 &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$folder"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
  [ -S "$folder/s" ] && break
  sleep 0.1
done
"$php" "$source/examples/redirects.php" "$folder/s" --print >"$folder/table.txt"
"$command" push "$folder/table.txt" "redis+unix://$folder/s#moved" -n 20001 -p 0.001 >"$folder/push"
"$php" "$source/examples/redirects.php" "$folder/s"
