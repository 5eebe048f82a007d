// SPDX-License-Identifier: Apache-2.0
// A kind of filter of your own, to copy: one bit in each of k slices of the array. The steps are
// those of docs/contributing/add_a_kind.md, as far as a program can go without changing the
// library.
#include <bloomery/bloomery.h>
#include <bloomery/filter/make_kind.h>

#include <iostream>
#include <string>

using namespace bloomery;

// Step 1: a number that no other kind has. In the library it is a line of FilterKind.
constexpr FilterKind kSliced{201};

// Step 2: a layout, which says which bits a key has. A user calls BasicFilter, which does all else.
class SlicedLayout {
 public:
  static constexpr FilterKind kKind = kSliced;

  explicit SlicedLayout(const FilterParameters& parameters)
      : hash_(parameters.hash),
        slices_(parameters.geometry.probe_count),
        slice_bits_(parameters.geometry.bit_count / slices_) {}

  // The size of a classic filter, in whole words a slice.
  static Geometry geometry(const FilterOptions& options) {
    validate(options);
    const Geometry flat = classic_geometry(options);
    const std::uint64_t slice_words =
        flat.bit_count / kWordBits / flat.probe_count + 1;  // rounded up
    return {.bit_count = slice_words * kWordBits * flat.probe_count,
            .probe_count = flat.probe_count};
  }
  // Bytes from outside may say anything: what this kind never has is refused before it allocates.
  static void check(const FilterParameters& parameters) {
    const Geometry& geometry = parameters.geometry;
    if (geometry.probe_count == 0 || geometry.bit_count == 0 ||
        geometry.bit_count % (std::uint64_t{geometry.probe_count} * kWordBits) != 0) {
      throw FormatError("a sliced filter whose slices are not whole words");
    }
  }
  static std::uint64_t word_count(const FilterParameters& parameters) noexcept {
    return parameters.geometry.bit_count / kWordBits;
  }

  HashPair hash(Key key) const noexcept { return hash_(key); }
  HashPair hash(std::uint64_t integer) const noexcept { return hash_(integer); }
  // Visits the bits of a key until one is not as `test` wants it.
  bool all_positions(HashPair hash, auto test) const {
    for (std::uint32_t i = 0; i < slices_; ++i) {
      if (!test(i * slice_bits_ + (hash.h1 + i * hash.h2) % slice_bits_)) return false;
    }
    return true;
  }
  void prefetch(Words words, HashPair hash) const noexcept {
    all_positions(hash, [&](std::uint64_t position) {
      prefetch_far(&words[position / kWordBits]);
      return true;
    });
  }

 private:
  NativeHash hash_;
  std::uint32_t slices_;
  std::uint64_t slice_bits_;
};
static_assert(Layout<SlicedLayout>);
using SlicedFilter = BasicFilter<SlicedLayout, HeapWords>;

// Step 3: the entry, by which AnyFilter, files and the command would find the kind. In the library
// it is a line of filter_kinds.cc.
const Kind kSlicedKind = flat_kind<SlicedLayout>({"sliced", "native"});

// Step 4: the rate and the size. Those of a classic filter of the same geometry are close enough;
// a kind that differs more has a formula of its own in rates.h and sizing.h.
double rate_when_full(const SlicedFilter& filter) {
  return predicted_rate(filter.geometry(), static_cast<double>(filter.capacity()));
}

// Step 5: what every kind promises. In the library the contract suite tests it.
bool keeps_its_promises() {
  constexpr std::uint64_t kKeys = 100'000;
  SlicedFilter filter({.capacity = kKeys, .false_positive_rate = 0.01});
  for (std::uint64_t key = 0; key < kKeys; ++key) filter.insert(key);
  std::uint64_t wrong = 0;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    if (!filter.may_contain(key)) return false;  // the worst defect there is
    wrong += filter.may_contain(kKeys + key) ? 1 : 0;
  }
  const double rate = static_cast<double>(wrong) / kKeys;
  std::cout << "asked 0.01, predicted " << rate_when_full(filter) << ", measured " << rate << "\n";
  return rate < 0.0115;
}

// Step 6: the bits of a key, which must never change. In the library they are golden files.
bool has_the_bits_it_always_had() {
  SlicedFilter filter({.capacity = 100, .false_positive_rate = 0.01});
  filter.insert("alice");
  std::string bits;
  for (const Probe& each : filter.probes("alice")) bits += std::to_string(each.position) + " ";
  std::cout << "alice: " << bits << "\n";
  return bits == "205 303 657 1011 1109 ";
}

int main() {
  FilterParameters parameters{.kind = kSliced};
  parameters.geometry = kSlicedKind.geometry({.capacity = 100});
  AnyFilter any = kSlicedKind.make(parameters);
  any.insert("alice");
  const bool is_found = any.may_contain("alice") && !any.may_contain("bob");
  return keeps_its_promises() && has_the_bits_it_always_had() && is_found ? 0 : 1;
}
