#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# use.sh PREFIX FOLDER SOURCE: builds a program with what is installed under the prefix, by find_package, and runs it.
set -eu
rm -rf "$2"
mkdir -p "$2"
cp "$3" "$2/program.cc"
cat >"$2/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(uses CXX)
find_package(bloomery 0.1 REQUIRED)
add_executable(program program.cc)
target_link_libraries(program PRIVATE bloomery::bloomery)
EOF
cmake -S "$2" -B "$2/build" -DCMAKE_PREFIX_PATH="$1" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$2/build" >/dev/null
cd "$2" && build/program >/dev/null
