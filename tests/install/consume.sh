#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# consume.sh BUILD WORK SOURCE PROGRAM COMPILER: installs BUILD under WORK and builds PROGRAM with find_package, pkg-config and
# the shared library; and adds SOURCE to a project.
set -eu
export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}" # there may be no make
build=$1 work=$2/outside source=$3 program=$4 compiler=$5
rm -rf "$work"
mkdir -p "$work/src" "$work/around"
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/install.log"

if [ -e "$prefix/include/bloomery/format/rdb" ]; then
  echo "headers that are no part of the contract are installed" >&2
  exit 1
fi

# A prefix given at install time is not in the file's first line: pkg-config finds it from where the file lies.
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name bloomery.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags are words
{
  "$compiler" -std=c++20 -c "$program" -o "$work/main.o" $(pkg-config --cflags bloomery)
  "$compiler" "$work/main.o" -o "$work/by_pkg_config" $(pkg-config --libs bloomery)
}

# The core needs no library of others, and each component asks for its own.
if pkg-config --print-requires bloomery | grep . || pkg-config --libs bloomery | grep -E 'redis|pq|mariadb|sqlite'; then
  echo "the core of pkg-config asks for libraries that it does not need" >&2
  exit 1
fi
cat >"$work/location.cc" <<'EOF'
#include <bloomery/bloomery.h>
int main() { return bloomery::parse_place_location("bitmap:redis://127.0.0.1#f").is_live() ? 0 : 1; }
EOF
# shellcheck disable=SC2046 # flags are words
"$compiler" -std=c++20 "$work/location.cc" -o "$work/by_component" $(pkg-config --cflags --libs bloomery-redis)
"$work/by_component"
pkg-config --libs bloomery-follow | grep -q 'lbloomery_follow.*lbloomery_source.*lbloomery_filter'

# The program's object serves here too, as its headers are most of what it takes; that they are found, a line more shows.
cat >"$work/src/version.cc" <<'EOF'
#include <bloomery/version.h>
static_assert(BLOOMERY_VERSION_MAJOR >= 0);
EOF
cat >"$work/src/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(outside CXX)
set(suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
set(CMAKE_FIND_LIBRARY_SUFFIXES .none) # as where nothing is installed that we use
find_package(bloomery 0.1 QUIET COMPONENTS redis)
if(bloomery_FOUND)
  message(FATAL_ERROR "the component redis was found without what it needs")
endif()
find_package(bloomery 0.1 REQUIRED COMPONENTS core)
if(NOT TARGET bloomery::guard OR TARGET bloomery::open OR TARGET bloomery::keys)
  message(FATAL_ERROR "the core brought another, or not itself")
endif()
find_package(bloomery 0.1 QUIET COMPONENTS redis nothing_of_ours)
if(bloomery_FOUND OR NOT bloomery_NOT_FOUND_MESSAGE MATCHES "built without: nothing_of_ours. It has: core redis")
  message(FATAL_ERROR "a component that is none was found, or another reason given: ${bloomery_NOT_FOUND_MESSAGE}")
endif()
find_package(bloomery 0.1 REQUIRED COMPONENTS core OPTIONAL_COMPONENTS nothing_of_ours)
set(CMAKE_FIND_LIBRARY_SUFFIXES ${suffixes})
find_package(bloomery 0.1 REQUIRED COMPONENTS redis)
if(NOT TARGET bloomery::open OR TARGET bloomery::keys OR SQLite3_FOUND)
  message(FATAL_ERROR "the component redis brought another, or not itself")
endif()
find_package(bloomery 0.1 REQUIRED COMPONENTS keys)
if(NOT TARGET bloomery::keys OR TARGET bloomery::postgres)
  message(FATAL_ERROR "the component keys brought another, or not itself")
endif()
find_package(bloomery 0.1 REQUIRED COMPONENTS postgres)
if(NOT TARGET bloomery::postgres OR TARGET bloomery::mariadb OR TARGET bloomery::source)
  message(FATAL_ERROR "the component postgres brought another, or not itself")
endif()
find_package(bloomery 0.1 REQUIRED COMPONENTS sql)
if(NOT TARGET bloomery::mariadb OR NOT TARGET bloomery::source OR TARGET bloomery::follow)
  message(FATAL_ERROR "the component sql brought another, or not itself")
endif()
find_package(bloomery 0.1 REQUIRED)
add_executable(outside version.cc ${CMAKE_CURRENT_SOURCE_DIR}/../main.o)
target_link_libraries(outside PRIVATE bloomery::bloomery bloomery::source)
EOF
cmake -S "$work/src" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" >"$work/configure.log"
cmake --build "$work/build" >"$work/build.log"

cmake --build "$build" --target bloomery_shared >"$work/shared.log"
"$compiler" "$work/main.o" -o "$work/by_shared_library" -L"$build" -lbloomery++ -Wl,-rpath,"$build"
if nm -DC --defined-only "$build/libbloomery++.so" | grep -v bloomery::; then
  echo "these symbols of the shared library are not ours" >&2
  exit 1
fi

# The C interface, for C.
cat >"$work/main.c" <<'EOF'
#include <bloomery/c/bloomery.h>
#include <stdio.h>
int main(void) {
  bloomery_options options = BLOOMERY_OPTIONS;
  bloomery_filter* filter;
  options.capacity = 1000;
  filter = bloomery_make(&options);
  if (bloomery_insert(filter, "a", 1) == BLOOMERY_ADDED && bloomery_ask(filter, "a", 1) == BLOOMERY_MAYBE) {
    puts("a may be there");
  }
  bloomery_close(filter);
  return 0;
}
EOF
# shellcheck disable=SC2046 # flags are words
cc -std=c99 -Wall -Werror "$work/main.c" -o "$work/in_c" $(pkg-config --cflags --libs bloomery-c) \
  -Wl,-rpath,"$(dirname "$PKG_CONFIG_PATH")"

cd "$work"
for way in build/outside by_pkg_config by_shared_library in_c; do
  ./$way | grep -q 'a may be there'
done
"$prefix"/bin/bloomery --version
[ -x "$(find "$prefix" -path '*/bloomery/bloomery.so')" ] || {
  echo "the module is not installed, or no server may load it" >&2
  exit 1
}
if [ -d "$prefix/lib/python3/dist-packages/bloomery" ]; then
  PYTHONPATH=$prefix/lib/python3/dist-packages /usr/bin/python3 -B -c 'import pybloomery; pybloomery.BloomFilter(10).add("a")'
fi

cat >around/CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(around CXX)
set(BLOOMERY_REDIS OFF)
add_subdirectory($source bloomery)
if(TARGET bloomery OR TARGET bloomery_module OR TARGET bloomery_open OR NOT TARGET bloomery::source)
  message(FATAL_ERROR "a project around gets more than the library that it asked for, or less")
endif()
EOF
cmake -S around -B around/build -DCMAKE_CXX_COMPILER="$compiler" >around.log
if cmake -S around -B around/build -DBLOOMERY_PYTHON=ON >>around.log 2>&1 ||
  ! grep -q 'BLOOMERY_PYTHON needs BLOOMERY_C' around.log; then
  echo "a package for Python without what it needs is built, or is not refused in words" >&2
  exit 1
fi
