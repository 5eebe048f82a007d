#!/bin/sh
# Builds the kernels for 64-bit Arm and runs their comparison under an emulator.
# check_neon.sh SOURCE_FOLDER BUILD_FOLDER; exit status 77 means skipped.
set -eu
source=$1
build=$2/neon
compiler=aarch64-linux-gnu-g++

skip() {
  echo "SKIPPED: $1; apt-get install g++-aarch64-linux-gnu qemu-user"
  exit 77
}
command -v "$compiler" >/dev/null || skip "no cross compiler $compiler"
command -v qemu-aarch64 >/dev/null || skip "no emulator qemu-aarch64"

mkdir -p "$build"
kernels=$source/bloomery/filter/kernels
hash=$source/bloomery/hash
compile() {
  "$compiler" -std=c++20 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
    -Werror -I"$source" "$@"
}
compile -march=armv8-a+crypto -c -o "$build/aes_hash_neon.o" "$hash/aes_hash_neon.cc"
compile -static -o "$build/neon_check" "$build/aes_hash_neon.o" "$hash/aes_hash.cc" \
  "$kernels/blocked_kernel.cc" "$kernels/blocked_scalar.cc" "$kernels/blocked_neon.cc" \
  "$source/tests/filter/kernel_comparison.cc" "$source/tests/filter/neon_check.cc"
qemu-aarch64 "$build/neon_check"
