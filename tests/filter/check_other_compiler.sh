#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a program by another compiler than the library's, links it with the library, and runs it.
# check_other_compiler.sh SOURCE_FOLDER BUILD_FOLDER LIBRARY...; exit status 77 means skipped.
set -eu
source=$1
program=$2/other_compiler_check
compiler=clang++-14
shift 2

command -v "$compiler" >/dev/null || {
  echo "SKIPPED: no other compiler $compiler; apt-get install clang-14"
  exit 77
}
# What is inlined differs, and so what is shared.
for optimisation in -O0 -O2; do
  "$compiler" -std=c++20 "$optimisation" -I"$source" "$source/tests/filter/other_compiler_check.cc" -o "$program" \
    -Wl,--start-group "$@" -Wl,--end-group -pthread
  "$program"
done
