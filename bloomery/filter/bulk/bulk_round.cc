// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/bulk_round.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/bulk/run_threads.h"

namespace bloomery {
namespace {

struct Packed {
  alignas(64) std::uint64_t packed[kPackedAtOnce];
  alignas(64) std::uint32_t regions[kPackedAtOnce];

  PackedProbes probes() noexcept { return {packed, regions}; }
};

using Flags = std::array<bool, Scatter::kChunk>;

// Asks for the lines of a region while the one before it is worked on, evenly, so that memory and
// processor are both busy all the time.
class RegionStream {
 public:
  RegionStream(std::span<const std::uint64_t> words, std::size_t probes_before) noexcept
      : at_(words.data()), lines_left_(words.size() / kLineWords) {
    const std::size_t blocks = std::max<std::size_t>(1, probes_before / kRegionBlock);
    block_lines_ = lines_left_ / blocks + 1;
  }

  void share(RegionWork& work) noexcept {
    const std::size_t blocks = std::max<std::size_t>(1, work.count / kRegionBlock);
    work.ask = at_;
    work.ask_lines = std::min(block_lines_, lines_left_ / blocks);
    const std::size_t asked = work.count / kRegionBlock * work.ask_lines;
    at_ += asked * kLineWords;
    lines_left_ -= asked;
  }
  void finish() noexcept {
    for (; lines_left_ != 0; --lines_left_, at_ += kLineWords) prefetch_far(at_);
  }

 private:
  const std::uint64_t* at_;
  std::size_t lines_left_;
  std::size_t block_lines_;
};

}  // namespace

BulkRound::Part::Part(const BlockedShape& shape, const RegionOps& ops, std::size_t part_keys)
    : first(HalfRegions::of(shape, 0).count(), part_keys, shape.two_lines(), ops),
      second(HalfRegions::of(shape, 1).count(), shape.two_lines() ? part_keys : 0, false, ops),
      present_words((second.position_end() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)) {}

BulkRound::BulkRound(const BlockedShape& shape, const RegionOps& ops, std::size_t parts,
                     std::size_t part_keys)
    : shape_(shape), ops_(&ops) {
  parts_.reserve(parts);
  for (std::size_t i = 0; i < parts; ++i) parts_.emplace_back(shape, ops, part_keys);
}

std::uint64_t BulkRound::byte_count(const BlockedShape& shape, std::size_t parts,
                                    std::size_t part_keys) noexcept {
  const bool two = shape.two_lines();
  const std::size_t regions = HalfRegions::of(shape, 0).count();
  std::uint64_t bytes = Scatter::byte_count(regions, part_keys, two);
  if (two) {
    const std::size_t positions = Scatter::position_end(regions, part_keys);
    bytes += Scatter::byte_count(regions, part_keys, false) +
             HeapWords::byte_count(positions / sizeof(std::uint64_t));
  }
  return bytes * parts;
}

std::size_t BulkRound::part_keys_within(std::uint64_t bytes, const BlockedShape& shape,
                                        std::size_t parts) noexcept {
  const std::size_t regions = HalfRegions::of(shape, 0).count();
  const auto fits = [&](std::size_t part_keys) {
    return part_keys <= Scatter::kMostProbes &&
           Scatter::position_end(regions, part_keys) <= Scatter::kMostPositions &&
           byte_count(shape, parts, part_keys) <= bytes;
  };
  std::size_t keys = 0;
  for (std::size_t step = Scatter::kMostProbes; step != 0; step /= 2) {
    if (fits(keys + step)) keys += step;
  }
  return keys;
}

void BulkRound::add(std::size_t part_index, const HashBlocks& hashes) noexcept {
  Part& part = parts_[part_index];
  Packed first;
  Packed second;
  std::array<std::uint32_t, kPackedAtOnce> positions;
  for (std::size_t begin = 0; begin < hashes.count; begin += kPackedAtOnce) {
    const std::size_t count = std::min(hashes.count - begin, kPackedAtOnce);
    ops_->pack(hashes, begin, count, shape_, first.probes(), second.probes());
    if (!shape_.two_lines()) {
      part.first.append(count, first.packed, first.regions);
    } else {
      part.second.append(count, second.packed, second.regions, positions.data());
      part.first.append_numbered(count, first.packed, first.regions, positions.data());
    }
  }
  stream_fence();
}

std::size_t BulkRound::apply(std::span<std::uint64_t> words) noexcept {
  for (Part& part : parts_) {
    part.first.settle();
    part.second.settle();
  }
  const HalfRegions first = HalfRegions::of(shape_, 0);
  if (!shape_.two_lines()) {
    apply_half(words, first, &Part::first,
               [this](Part&, const RegionWork& work, const Scatter::Piece&) {
                 return ops_->insert(work, nullptr);
               });
  } else {
    apply_half(words, first, &Part::first,
               [this](Part& part, const RegionWork& work, const Scatter::Piece& piece) {
                 return insert_first(part, work, piece);
               });
    apply_half(words, HalfRegions::of(shape_, 1), &Part::second,
               [this](Part& part, const RegionWork& work, const Scatter::Piece& piece) {
                 return insert_second(part, work, piece);
               });
  }
  std::size_t added = 0;
  for (Part& part : parts_) {
    added += std::exchange(part.added, 0);
    part.first.clear();
    part.second.clear();
  }
  return added;
}

// Regions go round the threads; `insert` returns how many of a piece's keys it finds new.
template <class Insert>
void BulkRound::apply_half(std::span<std::uint64_t> words, const HalfRegions& half,
                           Scatter Part::*scatter, Insert insert) noexcept {
  run_threads(parts_.size(), [&](std::size_t thread) {
    std::size_t added = 0;
    for (std::size_t region = thread; region < half.count(); region += parts_.size()) {
      added += apply_region(words, half, region, scatter, insert);
    }
    parts_[thread].added += added;
  });
}

template <class Insert>
std::size_t BulkRound::apply_region(std::span<std::uint64_t> words, const HalfRegions& half,
                                    std::size_t region, Scatter Part::*scatter,
                                    Insert insert) noexcept {
  std::size_t probes = 0;
  for (const Part& part : parts_) probes += (part.*scatter).probe_estimate(region);
  RegionStream stream(half.words(words, region + parts_.size()), probes);
  RegionWork work{};
  work.region = half.words(words, region).data();
  work.probes = half.probes;
  std::size_t added = 0;
  for (Part& part : parts_) {
    Scatter::Pieces pieces(part.*scatter, region);
    for (Scatter::Piece piece = pieces.next(); !piece.probes.empty();) {
      const Scatter::Piece following = pieces.next();
      work.packed = piece.probes.data();
      work.count = piece.probes.size();
      work.next_packed = (following.probes.empty() ? piece : following).probes.data();
      stream.share(work);
      added += insert(part, work, piece);
      piece = following;
    }
  }
  stream.finish();
  return added;
}

std::size_t BulkRound::insert_first(Part& part, const RegionWork& work,
                                    const Scatter::Piece& piece) const {
  Flags is_new;
  const std::size_t added = ops_->insert(work, is_new.data());
  if (added == work.count) return added;
  for (std::size_t i = 0; i < work.count; ++i) {
    if (!is_new[i]) part.present()[piece.numbers[i]] = 1;
  }
  return added;
}

std::size_t BulkRound::insert_second(Part& part, const RegionWork& work,
                                     const Scatter::Piece& piece) const {
  Flags is_new;
  ops_->insert(work, is_new.data());
  std::uint8_t* const present = part.present() + piece.position;
  std::size_t added = 0;
  for (std::size_t i = 0; i < work.count; ++i) added += is_new[i] && present[i] != 0 ? 1 : 0;
  std::memset(present, 0, work.count);
  return added;
}

}  // namespace bloomery
