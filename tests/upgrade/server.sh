# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154 # names of the script that reads this
# For the scripts beside this one, which have set $module: the keys, and a server with the module, in a folder that goes with the
# script. REDIS_SERVER names the server, by default redis-server.
server=${REDIS_SERVER:-redis-server}
work=$(mktemp -d)
pid=""
trap 'end_server; rm -rf "$work"' EXIT

words() { seq -f 'k%g' 100; }

# start_server OPTIONS: a server at the socket $work/s, of what stands in $work. Status 1, and why on standard error: it did not start.
start_server() {
  "$server" --port 0 --unixsocket "$work/s" --dir "$work" --save '' --daemonize no "$@" --loadmodule "$module" >"$work/log" 2>&1 &
  pid=$!
  until [ "$(redis-cli -s "$work/s" PING 2>/dev/null)" = PONG ]; do
    kill -0 "$pid" 2>/dev/null || {
      pid=""
      tail -n 5 "$work/log" >&2
      return 1
    }
    sleep 0.05
  done
}

# end_server: ends the server, if there is one; what it stored goes.
end_server() {
  [ -z "$pid" ] || { kill "$pid" && wait "$pid" || :; }
  pid=""
  rm -rf "$work"/s "$work"/dump.rdb "$work"/append*
}
