#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/redis/native_place.h"
#include "bloomery/redis/transaction.h"

namespace bloomery::redis {

// What a trip asks, and what it brought.
struct NativePlace::Trip {
  KeyBits bits{};
  LostBits::Known known{};
  std::uint64_t head_bytes = 0;  // as many were asked for
  std::string nonce = next_nonce();

  std::string doubt{};     // nothing may be believed
  std::string not_ours{};  // or only behind a fence
  bool is_primary = true;
  TransactionResult result{};
  Head first{};
  Head last{};
  std::vector<bool> all_set{};  // a key each

  // What a try before this one brought is no matter.
  void begin_again() {
    Trip fresh{.bits = std::move(bits),
               .known = std::move(known),
               .head_bytes = head_bytes,
               .nonce = std::move(nonce)};
    *this = std::move(fresh);
  }
};

}  // namespace bloomery::redis
