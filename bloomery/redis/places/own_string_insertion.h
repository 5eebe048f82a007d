// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/place/filter_place.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/own_string.h"
#include "bloomery/redis/places/set_bits.h"

namespace bloomery::redis {

// One transaction.
struct OwnString::Part : Seen {
  KeyBits bits{};
  // `old`, `next`: the heads from which and to which a transaction steps; null if it does not step.
  Head old{};
  Head next{};
  SetAnswer set{};
};

// The bits that one round trip sets in one string.
struct OwnString::Insertion {
  InsertCall call = 0;
  // Each steps from the head that the one before has made: one that fails lets none behind it step.
  std::vector<Part> parts{};
  LostBits::Known known{};
  std::size_t replies_each = 0;  // of a part
  bool repeated = false;         // an earlier try may have set any of its bits

  std::size_t key_count() const noexcept;
  std::size_t bit_count() const noexcept;
  std::size_t reply_count() const noexcept { return replies_each * parts.size(); }
  // Bits that it changed; where lines were set, of a few of them.
  std::vector<std::uint64_t> changed(bool by_lines) const;
  std::vector<std::uint64_t> touched() const;
  // One for each key. `old`: what a key is whose bits were all there.
  void tell(bool by_lines, Inserted old, std::span<Inserted> outcomes) const;
};

}  // namespace bloomery::redis
