// SPDX-License-Identifier: Apache-2.0
// The only file compiled for x86-64's instructions for AES alone.
#include "bloomery/hash/aes_hash_ways.h"
#include "bloomery/hash/aes_lanes_x86.h"

namespace bloomery {
namespace {

struct X86 : AesLanesX86<X86> {};

}  // namespace

constinit const AesWay kAesX86 = aes_way<X86>("aes");

}  // namespace bloomery
