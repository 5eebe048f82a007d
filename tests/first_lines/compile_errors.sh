#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compile_errors.sh SOURCE WORK COMPILER: what a first program in C++ is told that does not compile.
set -eu
source=$1 work=$2/compile_errors compiler=$3
mkdir -p "$work"
status=0

# says TEXT FLAGS...: the program of standard input is refused, and the first lines name the reason.
says() {
  text=$1
  shift
  cat >"$work/program.cc"
  if "$compiler" -I"$source" -fsyntax-only "$@" "$work/program.cc" >"$work/said" 2>&1; then
    echo "this compiled: $(cat "$work/program.cc")" >&2
    status=1
  elif ! head -n 12 "$work/said" | grep -qF "$text"; then
    echo "\"$text\" is not in the first lines of:" >&2
    head -n 12 "$work/said" >&2
    status=1
  fi
}

says 'bloomery needs C++20' -std=c++17 <<'END'
#include <bloomery/bloomery.h>
END
says 'bloomery needs C++20' -std=c++17 <<'END'
#include <bloomery/hash/key.h>
END
says 'compile without -fno-exceptions' -std=c++20 -fno-exceptions <<'END'
#include <bloomery/bloomery.h>
END
says 'say .copy(), or std::move()' -std=c++20 <<'END'
#include <bloomery/filter/blocked_filter.h>
int main() {
  bloomery::BlockedFilter a({.capacity = 1000});
  bloomery::BlockedFilter b = a;
}
END
says 'say .copy(), or std::move()' -std=c++20 <<'END'
#include <bloomery/bloomery.h>
int main() {
  bloomery::AnyFilter a = bloomery::load("seen.bloom");
  bloomery::AnyFilter b = a;
}
END
exit $status
