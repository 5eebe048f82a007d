#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/filter/filter_place.h"
#include "bloomery/redis/native_place.h"
#include "bloomery/redis/transaction.h"

namespace bloomery::redis {

// One transaction.
struct NativePlace::Part {
  std::size_t key_count = 0;
  std::vector<std::uint64_t> offsets{};
  std::vector<std::size_t> ends{};  // of each key's
  std::string nonce = next_nonce();

  std::string doubt{};
  bool is_primary = true;
  TransactionResult result{};
  Head head{};
  bool has_stepped = false;
};

// What one trip sets in one string.
struct NativePlace::Insertion {
  std::vector<Part> parts{};
  // Of one that steps, which has one part: the head goes from this one to that.
  Head old{};
  std::optional<FileHeader> next{};

  LostBits::Known known{};
  std::size_t replies_each = 0;  // of a part

  bool steps() const noexcept { return next.has_value(); }
  std::size_t key_count() const noexcept;
  std::size_t bit_count() const noexcept;
  std::size_t reply_count() const noexcept { return replies_each * parts.size(); }
  // One for each key. `old`: what a key is whose bits were all there.
  void tell(Inserted old, std::span<Inserted> outcomes) const;
};

}  // namespace bloomery::redis
