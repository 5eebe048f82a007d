// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/place/watermark.h"

namespace bloomery {

// The grounds of a place's answers: which filter they came from, and its watermark, read no later
// than its bits.
struct Proof {
  std::uint32_t part = 0;  // of the place; a place in one piece is part 0
  // `filter`: a number that no other filter has (FilterNumbers); 0: not known, and equal to
  // nothing.
  std::uint64_t filter = 0;
  std::optional<Watermark> watermark{};

  // Returns whether both proofs are of one filter with one source, however far it was.
  bool is_of_filter_of(const Proof& other) const noexcept {
    return filter != 0 && part == other.part && filter == other.filter &&
           watermark.has_value() == other.watermark.has_value() &&
           (!watermark || watermark->source == other.watermark->source);
  }
};

// The proofs of a question's answers: one for each part that it touched, or several where a part
// was exchanged meanwhile. Allocates nothing for one or two.
class Proofs {
 public:
  // Adds a proof. If one of its filter and source is there already, the higher watermark stays.
  void add(const Proof& proof) {
    if (count_ != 0 || !many_.empty()) return add_behind(proof);
    few_[0] = proof;
    count_ = 1;
  }
  // Adds a proof with a watermark. Writes the first one where it stays: copied from beside, it
  // would be loaded in other pieces than it was stored in, and wait for these.
  void add(std::uint32_t part, std::uint64_t filter, const Identity& source,
           std::uint64_t position) {
    if (count_ != 0 || !many_.empty()) {
      return add_behind({part, filter, Watermark{source, position}});
    }
    Proof& first = few_[0];
    first.part = part;
    first.filter = filter;
    Watermark& watermark = first.watermark.emplace();
    watermark.source = source;
    watermark.position = position;
    count_ = 1;
  }
  void add(const Proofs& others) {
    for (const Proof& each : others.all()) add(each);
  }

  std::span<const Proof> all() const noexcept {
    return many_.empty() ? std::span(few_).first(count_) : std::span<const Proof>(many_);
  }
  bool is_empty() const noexcept { return all().empty(); }
  // Returns whether a filter and source like those of `proof` is among these proofs.
  bool has_filter_of(const Proof& proof) const noexcept;
  // Returns whether a part of these proofs and of the others has the same filter.
  bool shares_filter_with(const Proofs& others) const noexcept;
  // The highest position of a source; 0 where there is none.
  std::uint64_t highest_of(const Identity& source) const noexcept;

 private:
  void add_behind(const Proof& proof);

  // In the order of their parts.
  std::size_t count_ = 0;  // of few_
  std::array<Proof, 2> few_{};
  std::vector<Proof> many_{};  // all of them, once they are more
};

// Gives Proof::filter its numbers. Those of two places in one process differ.
class FilterNumbers {
 public:
  // Returns the number of a filter by its identity; 0 if the identity is not set.
  std::uint64_t of(const Identity& filter) const noexcept;
  // Returns the number of the filter of a place that never has another one.
  std::uint64_t of_the_only_one() const noexcept { return of({1, 1}); }

 private:
  static std::uint64_t next_place() noexcept {
    static std::atomic<std::uint64_t> last = 0;
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  const std::uint64_t place_ = next_place();
};

}  // namespace bloomery
