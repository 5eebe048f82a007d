#!/bin/sh
# consume.sh BUILD WORK PROGRAM COMPILER: installs BUILD under WORK and builds PROGRAM with find_package and pkg-config.
set -eu
build=$1 work=$2/outside program=$3 compiler=$4
rm -rf "$work"
mkdir -p "$work/src"
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/install.log"

cp "$program" "$work/src/main.cc"
cat >"$work/src/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(outside CXX)
find_package(bloomery 0.1 REQUIRED)
add_executable(outside main.cc)
target_link_libraries(outside PRIVATE bloomery::bloomery)
EOF
cmake -S "$work/src" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" >"$work/configure.log"
cmake --build "$work/build" >"$work/build.log"

# A prefix given at install time is not in the file's first line: pkg-config finds it from where the file lies.
pc=$(find "$prefix" -name bloomery.pc)
# shellcheck disable=SC2046 # flags are words
PKG_CONFIG_PATH=$(dirname "$pc") "$compiler" -std=c++20 "$work/src/main.cc" -o "$work/by_pkg_config" \
  $(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --define-variable=prefix="$prefix" \
    --cflags --libs bloomery)

cd "$work"
for way in build/outside by_pkg_config; do
  ./$way | grep -q 'a may be there'
done
"$prefix"/bin/bloomery --version
