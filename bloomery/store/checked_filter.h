// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/os/own_process.h"
#include "bloomery/store/mapped_body.h"
#include "bloomery/store/probed_words.h"

namespace bloomery {

// A filter whose words are mapped, with the checks without which no "absent" leaves it.
struct CheckedWords {
  AnyFilter filter;
  std::shared_ptr<MappedBody> body;
  ProbedWords probed;
  std::filesystem::path path;
  bool writer;
  std::uint64_t process = process_number();

  // found[i] is true where key i may be there, or nothing is known. Throws as AnyFilter does, for
  // pairs that the kind does not have.
  void may_contain_many(KeyBatch batch, bool* found) const;
  // Throw FormatError where the body, or what these keys touch of it, is damaged: what is made of
  // it would not say so.
  void require_good() const;
  void require_good(KeyBatch batch) const;
  // Throw StoreError: in a child of the writer's process; where a writer's file is no longer the
  // one that was opened, or bits of it stay in memory.
  void require_ours() const;
  void require_kept() const;

 private:
  bool is_absent(KeyBatch one) const noexcept;
  std::vector<Probe> probes(KeyBatch one) const;
};

// The kind of filter that CheckedWords make. Inserts, changes and contents() check the bits first,
// and throw FormatError where they are damaged; may_contain() then says "maybe".
template <bool kInserts, bool kErases>
class CheckedFilter {
 public:
  explicit CheckedFilter(CheckedWords words) : words_(std::move(words)) {}

  bool may_contain(Key key) const noexcept {
    bool found = true;
    words_.may_contain_many({&key, 1}, &found);
    return found;
  }
  void may_contain_many(KeyBatch batch, Answers found) const {
    found.fill(batch.size(), [&, this](std::size_t first, std::size_t count, bool* flags) {
      words_.may_contain_many(batch.subbatch(first, count), flags);
    });
  }

  bool insert(Key key) requires kInserts { return insert_many({&key, 1}) != 0; }
  std::size_t insert_many(KeyBatch batch) requires kInserts {
    return change_at(batch, [&](AnyFilter& filter) { return filter.insert_many(batch); });
  }
  std::size_t insert_many(KeyBatch batch, Answers was_new) requires kInserts {
    return change_at(batch, [&](AnyFilter& filter) { return filter.insert_many(batch, was_new); });
  }
  void insert_while_room(KeyBatch batch, bool* was_new,
                         InsertProgress& progress) requires kInserts {
    change_at(batch,
              [&](AnyFilter& filter) { filter.insert_while_room(batch, was_new, progress); });
  }
  bool insert_concurrently(Key key) requires kInserts {
    return change_at({&key, 1}, [&](AnyFilter& filter) { return filter.insert_concurrently(key); });
  }
  bool erase(Key key) requires kErases { return try_erase(key) != Erase::absent; }
  Erase try_erase(Key key) requires kErases {
    return change_at({&key, 1}, [&](AnyFilter& filter) { return filter.try_erase(key); });
  }
  std::size_t change_words(const AnyFilter::ChangeWords& by) {
    return change([&](AnyFilter& filter) { return filter.change_words(by); });
  }
  void merge(const FilterContents& other) {
    change([&](AnyFilter& filter) { filter.merge(other); });
  }
  void clear() {
    change([](AnyFilter& filter) { filter.clear(); });
  }

  FilterContents contents() const {
    words_.require_good();
    return words_.filter.contents();
  }
  AnyFilter copy() const {
    words_.require_good();
    return words_.filter.copy();
  }
  void set_keys(const KeyForm& keys) noexcept { words_.filter.set_keys(keys); }
  // Returns whether the form of keys stands in the file: so for a writer.
  bool keeps_form() const noexcept { return words_.writer; }
  const FilterParameters& parameters() const noexcept { return words_.filter.parameters(); }
  std::uint64_t capacity() const noexcept { return words_.filter.capacity(); }
  std::uint64_t inserted() const noexcept { return words_.filter.inserted(); }
  double fill_ratio() const { return words_.filter.fill_ratio(); }
  double cardinality() const { return words_.filter.cardinality(); }
  double predicted_rate() const { return words_.filter.predicted_rate(); }
  bool hashes_once() const noexcept { return words_.filter.hashes_once(); }
  HashPair hash(Key key) const { return words_.filter.hash(key); }
  std::vector<Probe> probes(Key key) const { return words_.filter.probes(key); }
  std::vector<Probe> probes(HashPair hash) const { return words_.filter.probes(hash); }

 private:
  template <class Change>
  auto change(Change by) {
    words_.require_good();
    return apply(by);
  }
  // An insert says what was new, so it must not rest on damage either.
  template <class Change>
  auto change_at(KeyBatch batch, Change by) {
    words_.require_good(batch);
    return apply(by);
  }
  template <class Change>
  auto apply(Change by) {
    words_.require_ours();
    if constexpr (std::is_void_v<decltype(by(words_.filter))>) {
      by(words_.filter);
      words_.require_kept();
    } else {
      const auto result = by(words_.filter);
      words_.require_kept();
      return result;
    }
  }

  CheckedWords words_;
};

// Throws FormatError for a filter that must be read to be opened, and is damaged there.
AnyFilter checked_filter(AnyFilter filter, std::shared_ptr<MappedBody> body,
                         std::filesystem::path path, bool writer);

}  // namespace bloomery
