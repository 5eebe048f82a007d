// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "bloomery/filter/parameters.h"

namespace bloomery {

// GenerationClock: tells the newest generation, by the head of a windowed filter's words (see
// windowed_shape.h) and, for windows of time, by a clock.
//
// A clock that goes back does not bring a generation back. While it is at most three generations
// behind, time stands still; beyond, the next insert takes what it says as going on from here, and
// gives the newest generation one more, so that keys stay their time and no generation takes the
// keys of a day. So a head of any content is gone on from.
class GenerationClock {
 public:
  explicit GenerationClock(const FilterParameters& parameters);

  // Throws FormatError for a head that no filter has.
  static void check_head(std::span<const std::uint64_t> words);

  // The generation by which a question is answered. kLostGeneration where the head was lost.
  std::uint64_t now(std::span<const std::uint64_t> words) const noexcept;

  bool by_count() const noexcept { return length_ms_ == 0; }

  // How many of the next keys go into which generation.
  struct Turn {
    std::uint64_t generation;
    std::size_t keys;  // at least 1 of those wanted
  };
  Turn take(std::span<std::uint64_t> words, std::size_t wanted) const noexcept;

  // Returns the generation that one key goes into; any number of threads may call it at once.
  std::uint64_t take_concurrently(std::span<std::uint64_t> words) const noexcept;

  // Returns when a generation began, in milliseconds as the clock tells time; 0 where that is
  // unknown and for windows by count.
  std::uint64_t begin_ms(std::span<const std::uint64_t> words,
                         std::uint64_t generation) const noexcept;
  // Returns begin_ms() of the newest generation that keys went into.
  std::uint64_t newest_begin_ms(std::span<const std::uint64_t> words) const noexcept;

 private:
  std::uint64_t by_clock() const noexcept;
  std::uint64_t of_count(std::uint64_t inserts) const noexcept;

  std::uint64_t length_ms_;
  std::uint64_t capacity_;
  std::uint64_t generations_;
  std::function<std::uint64_t()> clock_;
};

}  // namespace bloomery
