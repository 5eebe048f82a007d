#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_blocks.sh SOURCE WORK COMPILER BIN LIBRARY [MODULE]: compiles the cpp blocks and runs the sh, c and python blocks of
# README*.md, docs/*.md and docs/how_to/*.md, those that stand in several documents once. A cpp block without main() is statements, and sees the
# names of preamble.h; the headers of those with one are read before. What a sh block calls redis://127.0.0.1:6379, or asks by
# redis-cli, is an empty server of its own, with MODULE; without redis-server here, such a block is left out. A c block is a
# program, and uses LIBRARY; a python block is one for $BLOOMERY_PYTHON3, and left out where that is not set. An output block
# is what the one before it prints. The sh blocks of a document that is read from top to bottom (in_order) run one after the other,
# in one folder and with one server.
set -eu
source=$1 work=$2/blocks compiler=$3 bin=$4 library=$5 module=${6-}
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# blocks LANGUAGE FILE: writes each block of the language to a file of its own, and prints their names.
blocks() {
  awk -v language="$1" -v stem="$(basename "$2" .md)" '
    /^```[a-z]/ && $0 != "```output" { mine = $0 == "```" language }
    $0 == "```" language { inside = 1; name = sprintf("%s_%d.%s", stem, ++count, language); print name; next }
    $0 == "```output" && mine && language != "cpp" { inside = 1; name = sprintf("%s_%d.%s.out", stem, count, language); next }
    /^```/ { inside = 0 }
    inside { print > name }' "$2"
}

seen=" "
# is_new FILE: whether no block before was the same, in C++ but for texts and remarks, which a translation has in its language.
is_new() {
  case $1 in
    *.cpp) sum=$(sed 's/"[^"]*"/""/g; s,//.*,,; s/ *$//' "$1" | cksum | tr ' ' ':') ;;
    *) sum=$(cksum <"$1" | tr ' ' ':') ;;
  esac
  case $seen in
    *" $sum "*) return 1 ;;
  esac
  seen="$seen$sum "
}

redis=${REDIS_SERVER:-redis-server}
server=""
trap '[ -z "$server" ] || kill "$server"' EXIT
start_server() {
  folder=$(mktemp -d)
  "$redis" --port 0 --unixsocket "$folder/s" --dir "$folder" --save '' --daemonize no ${module:+--loadmodule "$module"} \
    >"$folder/log" 2>&1 &
  server=$!
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -S "$folder/s" ] && break
    sleep 0.1
  done
}
stop_server() {
  kill "$server"
  wait "$server" || true
  server=""
  rm -rf "$folder"
}

run_with_server() {
  kept=$server
  [ -n "$server" ] || start_server
  sed "s#redis://127.0.0.1:6379#redis+unix://$folder/s#g; s#^redis-cli #redis-cli -s $folder/s #" commands.sh >"$folder/commands.sh"
  status=0
  (cd "$1" && PATH=$bin:$PATH sh -eu "$folder/commands.sh" >../output 2>&1 </dev/null) || status=$?
  [ -n "$kept" ] || stop_server
  return $status
}

run_alone() {
  (cd "$1" && PATH=$bin:$PATH sh -eu ../commands.sh >../output 2>&1 </dev/null)
}

in_order=" README.md README.zh-CN.md first_steps.md first_steps.zh-CN.md "
count=0
: >includes.cc
: >programs.cc
echo '#include "preamble.h"' >statements.cc
for document in "$source"/README*.md "$source"/docs/*.md "$source"/docs/how_to/*.md; do
  for block in $(blocks cpp "$document"); do
    count=$((count + 1))
    is_new "$block" || continue
    # All of them at once: what takes time are the headers.
    if grep -q 'int main' "$block"; then
      grep '^#include' "$block" >>includes.cc
      printf 'namespace program_%s {\n#line 1 "%s"\n' "$count" "$block" >>programs.cc
      sed 's/^#include.*//' "$block" >>programs.cc
      echo '}' >>programs.cc
    else
      printf 'void block_%s() {\n#line 1 "%s"\n' "$count" "$block" >>statements.cc
      cat "$block" >>statements.cc
      echo '}' >>statements.cc
    fi
  done
  for block in $(blocks c "$document"); do
    count=$((count + 1))
    mkdir -p "dir_$block"
    cc -std=c99 -Wall -Wextra -Werror -I"$source/bindings/c/include" "$block" -o "dir_$block/program" "$library" -Wl,-rpath,"$(dirname "$library")"
    (cd "dir_$block" && ./program >../output)
    diff "$block.out" output >&2 || {
      echo "$document: block $block prints something else" >&2
      exit 1
    }
  done
  for block in $(blocks python "$document"); do
    count=$((count + 1))
    [ -n "${BLOOMERY_PYTHON3-}" ] || continue
    mkdir -p "dir_$block"
    (cd "dir_$block" && "$BLOOMERY_PYTHON3" -B "../$block" >../output)
    diff "$block.out" output >&2 || {
      echo "$document: block $block prints something else" >&2
      exit 1
    }
  done
  case $in_order in
    *" ${document##*/} "*) together=yes ;;
    *) together="" ;;
  esac
  [ -z "$together" ] || ! command -v "$redis" >/dev/null || start_server
  for block in $(blocks sh "$document"); do
    count=$((count + 1))
    [ -n "$together" ] || is_new "$block" || continue
    # The door itself cannot be run from within; the ways in that a document names must exist.
    sed -n 's/^\.\/run *\([a-z]*\).*/\1/p' "$block" | while read -r way; do
      [ -z "$way" ] || grep -q "^  $way)" "$source/run" || {
        echo "$document: ./run $way does not exist" >&2
        exit 1
      }
    done
    grep -v '^\./run' "$block" >commands.sh || true
    here=dir_${together:+${document##*/}}
    [ -n "$together" ] || here=dir_$block
    mkdir -p "$here"
    run=run_alone
    if grep -q 'redis://127.0.0.1:6379\|^redis-cli' commands.sh; then
      command -v "$redis" >/dev/null || continue
      run=run_with_server
    fi
    $run "$here" || {
      cat output >&2
      echo "$document: block $block fails" >&2
      exit 1
    }
    [ ! -f "$block.out" ] || diff "$block.out" output >&2 || {
      echo "$document: block $block prints something else" >&2
      exit 1
    }
  done
  [ -z "$server" ] || stop_server
done
cat includes.cc programs.cc statements.cc >all.cc
"$compiler" -std=c++20 -fsyntax-only -I"$source" -I"$source/tests/docs" all.cc || {
  echo "a block of the file and line above does not compile" >&2
  exit 1
}
echo "$count blocks"
[ "$count" -ge 5 ]
