// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/filter/hashes_once.h"
#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// The keys of one batch, which stay the caller's; each K is a way in which they may come. Made by
// itself from a span, vector or array of one of these.
template <class... K>
class BatchOf {
 public:
  template <class R>
  requires(std::convertible_to<const R&, std::span<const K>> || ...) BatchOf(const R& keys)
  noexcept : keys_(keys) {}

  BatchOf(const Key* keys, std::size_t count) noexcept : keys_(std::span(keys, count)) {}

  // Calls visitor(std::span<const T>), T being one of K.
  template <class Visitor>
  decltype(auto) visit(Visitor visitor) const {
    return visit_from<0>(visitor);
  }

  std::size_t size() const noexcept {
    return visit([](const auto& keys) { return keys.size(); });
  }

  BatchOf subbatch(std::size_t first, std::size_t count) const noexcept {
    return visit([&](const auto& keys) { return BatchOf(keys.subspan(first, count)); });
  }

 private:
  template <std::size_t kFirst, class Visitor>
  decltype(auto) visit_from(Visitor& visitor) const {
    const auto* const keys = std::get_if<kFirst>(&keys_);
    if constexpr (kFirst + 1 < sizeof...(K)) {
      if (keys == nullptr) return visit_from<kFirst + 1>(visitor);
    } else {
      if (keys == nullptr) __builtin_unreachable();
    }
    return visitor(*keys);
  }

  std::variant<std::span<const K>...> keys_;
};

// Bytes, or integers, which stand for their eight bytes.
using UnhashedBatch = BatchOf<Key, std::uint64_t>;

// KeyBatch: keys as bytes, as integers, or as the pairs that a filter's hash() made of either.
using KeyBatch = BatchOf<Key, std::uint64_t, HashPair>;

// The batch for a filter that has no pairs (hashes_once.h). Throws
// std::invalid_argument for a batch of pairs.
inline UnhashedBatch unhashed(const KeyBatch& batch) {
  return batch.visit([]<class T>(std::span<const T> keys) -> UnhashedBatch {
    if constexpr (!std::same_as<T, HashPair>) return keys;
    throw std::invalid_argument(kNoPairs);
  });
}

// Other ranges of texts or integers, as a std::vector<std::string>, a std::vector<int> or a view
// that makes its keys as it goes: a batch is of views of them, or of a copy.
template <class R>
concept KeyRange = std::ranges::input_range<R> && !std::convertible_to<R, KeyBatch> &&
                   !std::convertible_to<R, Key> &&
                   (std::convertible_to<std::ranges::range_reference_t<R>, Key> ||
                    IntegerKey<std::ranges::range_value_t<R>>);

// Texts that nobody else keeps, and views of them.
class KeptTexts {
 public:
  explicit KeptTexts(std::vector<std::string> texts)
      : texts_(std::move(texts)), views_(texts_.begin(), texts_.end()) {}
  operator std::span<const Key>() const noexcept { return views_; }

 private:
  std::vector<std::string> texts_;
  std::vector<Key> views_;
};

// The keys of a range, to be made a batch of. Good as long as they.
template <KeyRange R>
auto views_of(R&& keys) {
  using Value = std::ranges::range_value_t<R>;
  using Reference = std::ranges::range_reference_t<R>;
  if constexpr (IntegerKey<Value>) {
    std::vector<std::uint64_t> integers;
    if constexpr (std::ranges::sized_range<R>) integers.reserve(std::ranges::size(keys));
    for (const Value each : keys) integers.push_back(eight_bytes(each));
    return integers;
  } else if constexpr (std::is_lvalue_reference_v<Reference> || std::same_as<Value, Key> ||
                       std::is_pointer_v<Value>) {
    std::vector<Key> views;
    for (auto&& each : keys) views.push_back(each);
    return views;
  } else {
    std::vector<std::string> texts;
    for (auto&& each : keys) texts.emplace_back(Key(each));
    return KeptTexts(std::move(texts));
  }
}

// Room for the answers of one batch, which stays the caller's: a bool a key; or a bit a key, that
// of key i being bit i mod 64 of word i / 64, and the bits of the last word that no key has are
// cleared. Calls that are given less room than they have keys throw std::invalid_argument, and
// neither ask nor insert.
class Answers {
 public:
  template <class R>
  requires std::convertible_to<R&&, std::span<bool>> Answers(R&& flags)
  noexcept : Answers(std::span<bool>(flags).data(), std::span<bool>(flags).size()) {}
  template <class R>
  requires std::convertible_to<R&&, std::span<std::uint64_t>> Answers(R&& bits)
  noexcept
      : bits_(std::span<std::uint64_t>(bits).data()),
        room_(64 * std::span<std::uint64_t>(bits).size()) {}

  Answers(bool* flags, std::size_t count) noexcept : flags_(flags), room_(count) {}

  // Calls ask(first, count, flags) for all of `count` keys: once where bools are wanted, else for a
  // thousand keys at a time, whose bools become bits. Throws std::invalid_argument, and calls
  // nothing, where there is less room.
  template <class Ask>
  void fill(std::size_t count, Ask ask) const {
    if (room_ < count) [[unlikely]]
      refuse(count);
    if (bits_ == nullptr) return ask(std::size_t{0}, count, flags_);
    std::array<bool, kChunk> flags;
    for (std::size_t first = 0; first < count; first += kChunk) {
      const std::size_t part = count - first < kChunk ? count - first : kChunk;
      ask(first, part, flags.data());
      pack(std::span<const bool>(flags).first(part), bits_ + first / 64);
    }
  }

 private:
  static constexpr std::size_t kChunk = 1024;

  [[noreturn, gnu::cold, gnu::noinline]] void refuse(std::size_t count) const {
    throw std::invalid_argument("room for the answers of " + std::to_string(room_) +
                                " keys, and the batch has " + std::to_string(count));
  }

  static void pack(std::span<const bool> flags, std::uint64_t* bits) noexcept {
    static_assert(sizeof(bool) == 1 && std::endian::native == std::endian::little);
    for (std::size_t i = 0; i < flags.size(); i += 64, ++bits) {
      *bits = 0;
      for (std::size_t j = i; j < i + 64 && j < flags.size(); j += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, &flags[j], flags.size() - j < 8 ? flags.size() - j : 8);
        // Bit 0 of byte b moves to bit 56 + b, and no two sums meet.
        *bits |= ((eight * 0x0102040810204080) >> 56) << (j - i);
      }
    }
  }

  bool* flags_ = nullptr;
  std::uint64_t* bits_ = nullptr;
  std::size_t room_ = 0;  // in keys
};

}  // namespace bloomery
