// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace bloomery {

// 128 random bits that nothing else has; all zero where there is none.
struct Identity {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  // Throws std::system_error where the kernel gives no random bytes.
  static Identity random();

  bool is_set() const noexcept { return (high | low) != 0; }
  friend bool operator==(const Identity&, const Identity&) = default;
};

// How far a source, such as a database, has been read. Positions of different sources say nothing
// about each other.
struct Watermark {
  Identity source;
  std::uint64_t position = 0;

  // Without a source nothing reaches it, and it reaches nothing.
  bool reaches(const Watermark& other) const noexcept {
    return source.is_set() && source == other.source && position >= other.position;
  }
  friend bool operator==(const Watermark&, const Watermark&) = default;
};

// How far a filter must have been filled before its "absent" is true. Asked of the source after the
// request began: one asked before says nothing about the rows in between. Every call refuses one
// that names no source (CallContext::fence).
struct Fence {
  Watermark at_least;
  // FenceSource::names_history
  bool names_history = false;
};

}  // namespace bloomery
