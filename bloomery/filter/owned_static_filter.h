// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/bits/shared_words.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/static_filter.h"

namespace bloomery {

// A static filter among the other kinds: it owns its bytes, which are whole words, and knows what a
// file says about it. Calls may run together.
class OwnedStaticFilter {
 public:
  // Built of all keys. What `form` says is made of the kind `fixed`, and may then be `fuse`; that
  // kind itself is what it stays. The capacity is not read: the number of distinct keys is what
  // counts. Throws std::invalid_argument for a rate that is not allowed. Hashes are those of
  // parameters.hash, or of parameters_for(FilterKind::fixed, {}, options).hash.
  static OwnedStaticFilter build(FilterParameters parameters, std::span<const HashPair> hashes,
                                 StaticForm form = StaticForm::smaller);

  // Takes words that are there already. Throws FormatError where they do not end as a static filter
  // of these parameters does.
  OwnedStaticFilter(const FilterContents& contents, SharedWords words);

  // A filter that was moved from says "maybe" of every key; see BasicFilter.
  OwnedStaticFilter(OwnedStaticFilter&& other) noexcept;
  OwnedStaticFilter& operator=(OwnedStaticFilter&& other) noexcept;
  OwnedStaticFilter(const OwnedStaticFilter&) = default;  // shares the bytes, which never change
  OwnedStaticFilter& operator=(const OwnedStaticFilter&) = default;
  ~OwnedStaticFilter() = default;

  static void check(const FilterContents& contents);
  static std::uint64_t word_count(const FilterParameters& parameters) noexcept {
    return parameters.geometry.bit_count / kWordBits + 1;
  }

  void may_contain_many(KeyBatch batch, Answers found) const {
    filter_.may_contain_many(batch, found);
  }
  bool may_contain(Key key) const noexcept { return filter_.may_contain(key); }

  const FilterParameters& parameters() const noexcept { return parameters_; }
  // Sets the form of keys that the filter records; no bit changes.
  void set_keys(const KeyForm& keys) noexcept { parameters_.keys = keys; }
  std::uint64_t capacity() const noexcept { return parameters_.capacity; }
  std::uint64_t inserted() const noexcept { return inserted_; }
  FilterContents contents() const { return {parameters_, inserted_, {}, {words_.words()}}; }
  double fill_ratio() const { return filter_.fill_ratio(); }
  double cardinality() const { return filter_.cardinality(); }
  double predicted_rate() const { return filter_.predicted_rate(); }
  HashPair hash(Key key) const noexcept { return filter_.hash(key); }
  std::vector<Probe> probes(Key key) const { return probes(hash(key)); }
  std::vector<Probe> probes(HashPair hash) const { return filter_.probes(hash); }

 private:
  void leave() noexcept;

  FilterParameters parameters_;
  std::uint64_t inserted_ = 0;
  SharedWords words_;
  StaticFilter filter_;  // looks at words_
};

}  // namespace bloomery
