// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/suspect_set.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "bloomery/bits/memory_limit.h"
#include "bloomery/hash/secret_key.h"
#include "bloomery/text/human_bytes.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::uint64_t kHashBits = ~std::uint64_t{0} >> 1;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

SipHash<1, 3> random_hash() {
  const SecretKey secret = SecretKey::random();
  return SipHash<1, 3>({secret.words[0], secret.words[1]});
}

}  // namespace

SuspectSet::SuspectSet() : hash_(random_hash()), slots_(kFirstSlots) {}

void SuspectSet::insert_many(std::span<const Key> keys, std::span<const bool> selected,
                             bool chosen) {
  std::array<Key, kBlockKeys> block;
  std::size_t count = 0;
  const auto insert_block = [&] {
    if (size_ + count > slots_.size() / 4 * 3) grow();
    prepare(std::span(block).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      Slot& slot = slot_of(block[i], hashes_[i]);
      if (slot.bytes != nullptr) continue;
      slot.bytes = keep(block[i]);
      slot.byte_count = block[i].size();
      slot.hash = hashes_[i] & kHashBits;
      ++size_;
    }
    count = 0;
  };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (selected[i] != chosen) continue;
    block[count++] = keys[i];
    if (count == kBlockKeys) insert_block();
  }
  insert_block();
}

void SuspectSet::are_first(std::span<const Key> keys, std::span<bool> first) noexcept {
  for (std::size_t begin = 0; begin < keys.size(); begin += kBlockKeys) {
    const auto block = keys.subspan(begin, std::min(kBlockKeys, keys.size() - begin));
    prepare(block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      Slot& slot = slot_of(block[i], hashes_[i]);
      first[begin + i] = slot.bytes == nullptr || slot.was_met == 0;
      if (slot.bytes != nullptr) slot.was_met = 1;
    }
  }
}

// Hashes the keys and asks memory for what they will need: first the slots, then the bytes.
void SuspectSet::prepare(std::span<const Key> keys) noexcept {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    hashes_[i] = hash_(keys[i]);
    __builtin_prefetch(&slots_[hashes_[i] & mask]);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Slot& slot = slots_[hashes_[i] & mask];
    if (slot.hash == (hashes_[i] & kHashBits)) __builtin_prefetch(slot.bytes);
  }
}

// Returns the slot of the key, or the free one where it would be.
SuspectSet::Slot& SuspectSet::slot_of(Key key, std::uint64_t hash) noexcept {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.bytes == nullptr) return slot;
    if (slot.hash == (hash & kHashBits) && Key(slot.bytes, slot.byte_count) == key) return slot;
  }
}

void SuspectSet::grow() {
  require_memory(2 * slots_.size(), sizeof(Slot));
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.bytes == nullptr) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].bytes != nullptr) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

const char* SuspectSet::keep(Key key) {
  const auto new_block = [&](std::size_t byte_count) {
    if (byte_count > memory_limit() - block_bytes_) {
      throw std::invalid_argument(
          "the keys that may repeat do not fit in this machine's memory of " +
          human_bytes(static_cast<double>(memory_limit())) +
          "; a larger -n or a lower -p makes them fewer");
    }
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(byte_count));
    block_bytes_ += byte_count;
    return blocks_.back().get();
  };
  // A long key has a block of its own, so that little is left over in the others. An empty one too
  // has an address.
  char* place = nullptr;
  if (key.size() > kBlockBytes / 8) {
    place = new_block(key.size());
  } else {
    if (free_ == nullptr || key.size() > free_bytes_) {
      free_ = new_block(kBlockBytes);
      free_bytes_ = kBlockBytes;
    }
    place = free_;
    free_ += key.size();
    free_bytes_ -= key.size();
  }
  if (!key.empty()) std::memcpy(place, key.data(), key.size());
  return place;
}

}  // namespace bloomery::cli
