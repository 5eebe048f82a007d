// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/hash/aes_hash.h"
#include "bloomery/hash/aes_hash_body.h"

namespace bloomery {

// Each in a file of its own that is compiled for such processors.
extern const AesWay kAesAvx512;
extern const AesWay kAesX86;
extern const AesWay kAesNeon;

// The way of AesHashBody over the lanes of one processor.
template <class Isa>
constexpr AesWay aes_way(std::string_view name) {
  using Body = AesHashBody<Isa>;
  return {name, Body::hash, Body::hash_block, Body::hash_numbers};
}

}  // namespace bloomery
