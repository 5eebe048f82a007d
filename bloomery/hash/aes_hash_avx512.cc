// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512 with VAES.
#include "bloomery/hash/aes_hash_avx512.h"

#include "bloomery/hash/aes_hash_ways.h"

namespace bloomery {
namespace {

struct Own {};
using Eight = AesOfEight<Own>;

}  // namespace

constinit const AesWay kAesAvx512{"avx512", Eight::hash, Eight::hash_block, Eight::hash_numbers};

}  // namespace bloomery
