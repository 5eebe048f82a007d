// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/hash/sip_hash.h"

namespace bloomery::cli {

// An exact set of keys, which remembers of each whether it was met. Copies the bytes of keys into
// an arena of its own, end to end: a key costs its bytes and some 40 more. Hashed under a random
// key, so no input can make it slow.
class SuspectSet {
 public:
  // Throws std::system_error where the kernel gives no random bytes.
  SuspectSet();

  // Inserts keys[i] where selected[i] is `chosen`. Throws std::invalid_argument where the set
  // outgrows the machine's memory.
  void insert_many(std::span<const Key> keys, std::span<const bool> selected, bool chosen);

  // first[i] is false from the second time on that keys[i], a key of the set, is asked about; true
  // for every other question.
  void are_first(std::span<const Key> keys, std::span<bool> first) noexcept;

  std::uint64_t size() const noexcept { return size_; }

 private:
  // Keys are hashed this many at a time, and the places of all asked for before one is looked at.
  static constexpr std::size_t kBlockKeys = 64;

  struct Slot {
    const char* bytes = nullptr;  // none: free
    std::size_t byte_count = 0;
    std::uint64_t hash : 63 = 0;
    std::uint64_t was_met : 1 = 0;
  };

  void prepare(std::span<const Key> keys) noexcept;
  Slot& slot_of(Key key, std::uint64_t hash) noexcept;
  void grow();
  const char* keep(Key key);

  SipHash<1, 3> hash_;
  std::array<std::uint64_t, kBlockKeys> hashes_{};  // of the keys at hand
  std::vector<Slot> slots_;  // a power of two of them, at most three quarters taken
  std::uint64_t size_ = 0;

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;  // in the last block of many keys
  std::size_t free_bytes_ = 0;
  std::uint64_t block_bytes_ = 0;
};

}  // namespace bloomery::cli
