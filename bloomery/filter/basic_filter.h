#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/bits/bit_storage.h"
#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"
#include "bloomery/filter/layout.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/filter/rates.h"

namespace bloomery {

// A Bloom filter: answers "surely never inserted" or "maybe" about keys, in about a byte a key. `L`
// says which bits a key means (see layout.h), `Storage` who owns them.
//
// Const calls may run together, and insert_concurrently with them and with itself; every other call
// that changes the filter needs it alone. Inserts and questions never throw.
template <Layout L, BitStorage Storage>
class BasicFilter {
 public:
  using LayoutType = L;

  // Holds options.capacity keys at options.false_positive_rate; goes on beyond, at a rising rate.
  // Throws std::invalid_argument for options that are not allowed or bits that the machine's memory
  // cannot hold.
  explicit BasicFilter(const FilterOptions& options) requires std::same_as<Storage, HeapWords>
      : BasicFilter(Empty{parameters_for(options)}) {}

  // Takes bits that are there already. `parameters` passed L::check, and `storage` has exactly
  // their bits.
  BasicFilter(const FilterParameters& parameters, Storage storage, std::uint64_t inserted)
      : parameters_(parameters),
        layout_(parameters),
        storage_(std::move(storage)),
        inserted_(inserted) {}

  // True when the key is new: at least one of its bits was clear.
  bool insert(Key key) noexcept { return insert_hash(layout_.hash(key)); }
  bool insert(std::uint64_t integer) noexcept { return insert_hash(layout_.hash(integer)); }
  bool insert_hash(HashPair hash) noexcept {
    const bool is_new = layout_.insert(storage_.words(), hash);
    inserted_ += is_new ? 1 : 0;
    return is_new;
  }

  // False only for a key that was never inserted; true for every one that was, and for a few
  // others.
  bool may_contain(Key key) const noexcept { return may_contain_hash(layout_.hash(key)); }
  bool may_contain(std::uint64_t integer) const noexcept {
    return may_contain_hash(layout_.hash(integer));
  }
  bool may_contain_hash(HashPair hash) const noexcept {
    return layout_.may_contain(std::as_const(storage_).words(), hash);
  }

  HashPair hash(Key key) const noexcept { return layout_.hash(key); }
  HashPair hash(std::uint64_t integer) const noexcept { return layout_.hash(integer); }

  // The same for many keys, whose cache misses overlap. Returns how many were new; a key that
  // stands twice in the batch is new once. `was_new` and `found` have room for an answer a key.
  std::size_t insert_many(std::span<const Key> keys) noexcept {
    return insert_batch(keys, nullptr);
  }
  std::size_t insert_many(std::span<const std::uint64_t> integers) noexcept {
    return insert_batch(integers, nullptr);
  }
  std::size_t insert_many(std::span<const Key> keys, std::span<bool> was_new) noexcept {
    return insert_batch(keys, was_new.data());
  }
  std::size_t insert_many(std::span<const std::uint64_t> integers,
                          std::span<bool> was_new) noexcept {
    return insert_batch(integers, was_new.data());
  }
  void may_contain_many(std::span<const Key> keys, std::span<bool> found) const noexcept {
    layout_.may_contain_batch(words(), keys, found.data());
  }
  void may_contain_many(std::span<const std::uint64_t> integers,
                        std::span<bool> found) const noexcept {
    layout_.may_contain_batch(words(), integers, found.data());
  }

  // As insert, from any number of threads at once; no bit is lost. Of threads that insert one new
  // key together, more than one may be told that it was new.
  bool insert_concurrently(Key key) noexcept { return insert_hash_concurrently(layout_.hash(key)); }
  bool insert_concurrently(std::uint64_t integer) noexcept {
    return insert_hash_concurrently(layout_.hash(integer));
  }
  bool insert_hash_concurrently(HashPair hash) noexcept {
    const bool is_new = layout_.insert_concurrently(storage_.words(), hash);
    if (is_new) std::atomic_ref(inserted_).fetch_add(1, std::memory_order_relaxed);
    return is_new;
  }

  // Afterwards holds the keys of both. Throws IncompatibleError unless kind, geometry and hash
  // agree.
  template <BitStorage Other>
  void merge(const BasicFilter<L, Other>& other) {
    merge_bits(other.parameters(), other.words(), other.inserted());
  }
  void merge_bits(const FilterParameters& parameters, std::span<const std::uint64_t> bits,
                  std::uint64_t inserted) {
    if (const auto reason = incompatibility(parameters_, parameters); !reason.empty()) {
      throw IncompatibleError("cannot merge: " + reason);
    }
    const auto mine = storage_.words();
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] |= bits[i];
    // Keys in both were counted twice: what the bits say is nearer.
    const auto low = std::max(inserted_, inserted);
    const auto estimate = static_cast<std::uint64_t>(std::llround(cardinality()));
    inserted_ = std::clamp(estimate, low, inserted_ + inserted);
  }

  void clear() noexcept {
    std::ranges::fill(storage_.words(), 0);
    inserted_ = 0;
  }

  const FilterParameters& parameters() const noexcept { return parameters_; }
  std::uint64_t capacity() const noexcept { return parameters_.capacity; }
  const Geometry& geometry() const noexcept { return parameters_.geometry; }
  std::span<const std::uint64_t> words() const noexcept { return storage_.words(); }
  const Storage& storage() const noexcept { return storage_; }
  Storage& storage() noexcept { return storage_; }

  // Inserts that were new when they were made: at most the number of distinct keys.
  std::uint64_t inserted() const noexcept { return load_word(&inserted_); }

  // These read every bit. fill_ratio: share of bits set. cardinality: estimated number of distinct
  // keys. predicted_rate: chance that an absent key is answered "maybe" now, from the bits as they
  // are.
  double fill_ratio() const noexcept {
    return static_cast<double>(count_ones(words())) / static_cast<double>(geometry().bit_count);
  }
  double cardinality() const noexcept {
    return estimate_cardinality(geometry(), count_ones(words()));
  }
  double predicted_rate() const noexcept { return current_rate(geometry(), words()); }

  // The bits that a key means, for explanations.
  std::vector<std::uint64_t> positions(HashPair hash) const { return layout_.positions(hash); }

 private:
  struct Empty {
    FilterParameters parameters;
  };
  explicit BasicFilter(const Empty& of)
      : BasicFilter(of.parameters, HeapWords(of.parameters.geometry.bit_count / kWordBits), 0) {}

  static FilterParameters parameters_for(const FilterOptions& options) {
    FilterParameters parameters;
    parameters.kind = L::kKind;
    parameters.geometry = L::geometry(options);
    parameters.hash = make_hash(options);
    parameters.capacity = options.capacity;
    parameters.false_positive_rate = options.false_positive_rate;
    return parameters;
  }

  template <class K>
  std::size_t insert_batch(std::span<const K> keys, bool* was_new) noexcept {
    const std::size_t added = layout_.insert_batch(storage_.words(), keys, was_new);
    inserted_ += added;
    return added;
  }

  FilterParameters parameters_;
  L layout_;
  Storage storage_;
  std::uint64_t inserted_ = 0;
};

}  // namespace bloomery
