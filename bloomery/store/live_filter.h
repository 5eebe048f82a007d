// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/store/mapped_body.h"

namespace bloomery {

// How many inserts were new, of all processes that have a live file open.
class LiveCount {
 public:
  LiveCount(std::shared_ptr<MappedBody> body, const FileHeader& header) noexcept;

  std::uint64_t now() const noexcept;
  void add(std::uint64_t inserts) noexcept;

 private:
  std::shared_ptr<MappedBody> body_;
  FileLive live_;
  std::uint64_t before_;
  std::byte* at_;
};

// A filter over the words of a live file, among the other kinds of filter: any number of threads
// and processes insert and ask at once. Inserts throw StoreError where the file is no longer the
// one that was opened; questions then say "maybe". The same holds where the disk refused a page of
// it, whose questions alone say "maybe" then.
class LiveFilter {
 public:
  LiveFilter(AnyFilter filter, std::shared_ptr<MappedBody> body, LiveCount count,
             std::filesystem::path path, bool inserts)
      : filter_(std::move(filter)),
        body_(std::move(body)),
        count_(std::move(count)),
        path_(std::move(path)),
        inserts_(inserts) {
    filter_.take_keys_as_said();  // who holds this looks at them
  }

  bool may_contain(Key key) const noexcept {
    return filter_.may_contain(key) || !body_->is_unchanged();
  }
  void may_contain_many(UnhashedBatch batch, Answers found) const;

  bool insert(Key key);
  bool insert_concurrently(Key key) { return insert(key); }
  std::size_t insert_many(UnhashedBatch batch);
  std::size_t insert_many(UnhashedBatch batch, Answers was_new);
  // Merges by atomic ORs, as inserts are made. A process that is killed within it has merged a
  // part.
  void merge(const FilterContents& other);
  // Throws std::invalid_argument: another process may insert keys that would go with the old ones.
  [[noreturn]] void clear();

  // Bits may be set while they are read.
  FilterContents contents() const;
  AnyFilter copy() const;
  void set_keys(const KeyForm& keys) noexcept { filter_.set_keys(keys); }
  bool keeps_form() const noexcept { return true; }
  const FilterParameters& parameters() const noexcept { return filter_.parameters(); }
  std::uint64_t capacity() const noexcept { return filter_.capacity(); }
  std::uint64_t inserted() const noexcept { return count_.now(); }
  double fill_ratio() const { return filter_.fill_ratio(); }
  double cardinality() const { return filter_.cardinality(); }
  double predicted_rate() const { return filter_.predicted_rate(); }
  std::vector<Probe> probes(Key key) const { return filter_.probes(key); }

 private:
  std::size_t insert_piece(UnhashedBatch batch, bool* was_new);
  void require_inserts() const;
  void require_unchanged() const;
  void require_kept() const;

  AnyFilter filter_;
  std::shared_ptr<MappedBody> body_;
  LiveCount count_;
  std::filesystem::path path_;
  bool inserts_;
};

}  // namespace bloomery
