// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/own_string.h"

namespace bloomery::redis {

// The replies of one transaction about the string.
struct OwnString::Seen {
  std::string nonce = next_nonce();
  std::string doubt{};  // why nothing may be believed
  bool is_primary = true;
  TransactionResult result{};
  Head head{};

  void begin_again() {
    doubt.clear();
    is_primary = true;
    result = {};
    head = {};
  }
};

// The keys of one transaction, with the head of the moment at which it read their bits. A head that
// was read before or after them proves nothing: an older copy may have been put there, and carried
// up again, in between.
struct OwnString::TripPiece : Seen {
  std::size_t first_key = 0;
  std::size_t behind_keys = 0;
  std::string not_ours{};  // why it may be believed behind a fence alone
};

// The question of a round trip, and its replies.
struct OwnString::Trip {
  KeyBits bits{};
  LostBits::Known known{};
  std::uint64_t head_bytes = 0;     // as many were asked for
  std::vector<TripPiece> pieces{};  // at least one
  std::vector<bool> all_set{};      // a key each

  bool has_doubt() const noexcept {
    return std::ranges::any_of(pieces, [](const TripPiece& each) { return !each.doubt.empty(); });
  }

  // Forgets the replies of an earlier try.
  void begin_again() {
    for (TripPiece& each : pieces) {
      each.begin_again();
      each.not_ours.clear();
    }
    all_set.assign(bits.size(), false);
  }
};

}  // namespace bloomery::redis
