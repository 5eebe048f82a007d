// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bloomery/filter/batch.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/fuse_shape.h"
#include "bloomery/filter/geometry.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery {

struct BlockedKernel;

// StaticForm: what a static filter has of each key: probes, as a classic filter, or a fingerprint,
// as a binary fuse filter (fuse_shape.h), whose rate is a power of 2. A fuse filter takes fewer
// bits from some thousands of keys on; from a million, a fifth fewer, and about twice the time to
// build.
enum class StaticForm { smaller, bloom, fuse };

// Options of a StaticFilter.
struct StaticOptions {
  double false_positive_rate = 0.01;      // from kMinRate to below 1; of a fuse filter from 2^-32
  StaticForm form = StaticForm::smaller;  // smaller: whichever takes fewer bytes
  // All probes of a key within one 64-byte line, as in a blocked filter: one cache miss, for some
  // percent more bytes. For sets of thousands of keys, not of tens. Never a fuse filter.
  bool one_line = false;
  // Sizes are multiples of this many bytes: 1, or 8 where words are wanted.
  std::uint32_t unit_bytes = 1;
};

// The filter of a set of keys that is known whole and never changes: what a table file keeps for
// each of its blocks. The keys are hashed already, or under NativeHash().
//
//   +-------------------------------+---------+--------+--------+---------+------------+
//   | bits, any number of bytes     | mark    | probes | lines  | attempt | checksum   |
//   | (with one_line 64 times n)    | b1      | 1      | 1      | 1       | 4, XXH3-64 |
//   +-------------------------------+---------+--------+--------+---------+------------+
//
// Bit i is bit i mod 8 of byte i / 8, and the positions of a key are those of a classic or blocked
// filter (docs/format.md) of 8 times as many bits, for the pair that `attempt` uses of
// second_pair() make of the key's. The checksum is the low half of the hash of all before it. A
// fuse filter has the mark b2, and, for probes and lines, the bits of a fingerprint and the
// logarithm of a segment's length.
//
// No size is asked for: it is the smallest found whose bits, as they are, keep the rate. A set that
// is unlucky with its positions gets another attempt at them before it gets more bytes, so that
// small sets keep their rate too. The fewest bytes for no keys at all are 8. Time: about two
// inserts a key, for tens of keys hundreds. Throws std::invalid_argument for options that are not
// allowed, and for a fuse filter of a lower rate, or of more than 2^32 keys.
std::vector<std::byte> build_static_filter(KeyBatch keys, const StaticOptions& options = {});
std::vector<std::byte> build_static_filter(KeyRange auto&& keys,
                                           const StaticOptions& options = {}) {
  return build_static_filter(views_of(keys), options);
}

// Asks the bytes where they lie; they stay the caller's, and need no alignment. A vector that is
// moved in, as what build_static_filter() returns, is kept; copies share it. Calls may run
// together; none but the constructors throw.
class StaticFilter {
 public:
  // Throws FormatError for bytes that are no static filter. Reads the last eight of them only:
  // verify() reads all, for those who do not keep their own checksums.
  explicit StaticFilter(std::span<const std::byte> bytes, const NativeHash& hash = NativeHash());
  explicit StaticFilter(std::vector<std::byte>&& bytes, const NativeHash& hash = NativeHash());
  // A move is a copy: what was moved from answers as before.
  StaticFilter(const StaticFilter&) = default;
  StaticFilter& operator=(const StaticFilter&) = default;
  ~StaticFilter() = default;

  // False only for a key that is not in the set.
  bool may_contain(Key key) const noexcept { return may_contain_hash(hash_(key)); }
  bool may_contain(IntegerKey auto integer) const noexcept {
    return may_contain_hash(hash(integer));
  }
  bool may_contain_hash(HashPair hash) const noexcept;
  void may_contain_many(KeyBatch batch, Answers found) const;
  // Asks by a kernel of the caller's, to compare kernels.
  void may_contain_many(KeyBatch batch, Answers found, const BlockedKernel& kernel) const;
  void may_contain_many(KeyRange auto&& keys, Answers found) const {
    may_contain_many(views_of(keys), found);
  }

  // The hash pair of a key, for may_contain_hash().
  HashPair hash(Key key) const noexcept { return hash_(key); }
  HashPair hash(IntegerKey auto integer) const noexcept { return hash_(eight_bytes(integer)); }

  // Returns whether the checksum is that of the bytes.
  bool verify() const noexcept;

  // bit_count is 0 for a set without keys; probe_count of a fuse filter the bits of a fingerprint.
  const Geometry& geometry() const noexcept { return geometry_; }
  bool is_fuse() const noexcept { return is_fuse_; }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  // fill_ratio() and cardinality() copy and read every bit.
  double fill_ratio() const;
  double cardinality() const;
  double predicted_rate() const;

  // The bits of a key, and whether each is set; of a fuse filter the first bit of each slot, and
  // whether they make the key's fingerprint.
  std::vector<Probe> probes(HashPair hash) const;

 private:
  StaticFilter(std::shared_ptr<const std::vector<std::byte>> own, const NativeHash& hash);

  void read_bloom(std::uint32_t probes, std::uint32_t lines);
  void read_fuse(std::uint32_t fingerprint_bits, std::uint32_t segment_log);
  bool test(std::uint64_t position) const noexcept {
    return ((std::to_integer<unsigned>(bytes_[position / 8]) >> (position % 8)) & 1) != 0;
  }
  std::vector<std::uint64_t> words() const;
  bool may_contain_moved(HashPair hash) const noexcept;
  template <class K>
  void ask_scattered(const BlockedKernel& kernel, std::span<const K> keys,
                     bool* found) const noexcept;
  template <class K>
  void ask_lines(const BlockedKernel& kernel, std::span<const K> keys, bool* found) const noexcept;
  HashPair moved(HashPair hash) const noexcept;

  std::shared_ptr<const std::vector<std::byte>> own_;  // null where they are the caller's
  std::span<const std::byte> bytes_;
  NativeHash hash_;
  const BlockedKernel* kernel_;
  Geometry geometry_;
  std::uint32_t attempt_ = 0;
  bool is_fuse_ = false;
  FuseShape fuse_;
};

}  // namespace bloomery
