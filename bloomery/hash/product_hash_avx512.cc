// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512 with IFMA and VBMI.
#include "bloomery/hash/product_hash_avx512.h"

#include "bloomery/hash/product_hash_ways.h"

namespace bloomery {
namespace {

struct Own {};

}  // namespace

constinit const ProductWay kProductAvx512{"avx512", ProductOfEight<Own>::hash_any};

}  // namespace bloomery
