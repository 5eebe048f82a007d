// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// The hash for processors that do a round of AES by one instruction, as nearly all of x86-64 and of
// 64-bit Arm do. Where a register holds four states (AVX-512 with VAES) a batch of texts takes a
// third of the time of ProductHash, elsewhere about as long, and without such an instruction some
// twenty times as long. Single integers, where they are inlined, take half of the instructions of
// IntegerHash, and elsewhere longer. So filters have it only if they are told to.
//
// A key is taken in blocks of 64 bytes, zeros behind its end. Each of the four lanes of a block
// goes through three rounds under keys of its own; then their sum, the key's length and the seed go
// through three more. (After two, keys that differ in one diagonal of a lane differ by one of 2^32
// vectors, the same in every lane: of 10^7 such keys in two lanes some had equal hashes.) Not for
// keys chosen by strangers, as no unkeyed hash is: those are for secret filters.
//
// Part of the stored data: never change it, add another HashId.

// `spread` is the seed as IntegerHash wants it. Uses the fastest of aes_ways().
HashPair aes_hash(Key key, std::uint64_t spread) noexcept;

inline constexpr std::size_t kAesBlock = 8;
// Hashes keys[i] into h1[i] and h2[i], i below `count`, which is at most kAesBlock. There is room
// for kAesBlock in both, which begin a line of 64 bytes.
void aes_hash_block(const Key* keys, std::size_t count, std::uint64_t spread, std::uint64_t* h1,
                    std::uint64_t* h2) noexcept;
// Hashes a block as aes_hash_block() does, of keys of eight bytes that are given as integers.
void aes_hash_numbers(const std::uint64_t* numbers, std::size_t count, std::uint64_t spread,
                      std::uint64_t* h1, std::uint64_t* h2) noexcept;

// One way to compute it, for some processors.
struct AesWay {
  std::string_view name;
  decltype(aes_hash)* one;
  decltype(aes_hash_block)* block;
  decltype(aes_hash_numbers)* numbers;
};

// The ways that this processor can go, the fastest first; that in plain C++, which is the
// definition of the hash, is always last. All give the same hashes.
std::span<const AesWay* const> aes_ways();

}  // namespace bloomery
