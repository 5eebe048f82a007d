// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/place/watermark.h"

namespace bloomery {

// Facts that a file may hold beside the filter. Zero and empty mean "not said".
struct FileNotes {
  std::uint64_t watermark = 0;  // how far the database had been read into it
  std::string note{};           // anything, in UTF-8; at most kMaxNoteBytes
  std::uint32_t epoch = 0;      // which rebuild of the filter this is
  Identity identity{};          // made anew by whatever clears bits
  Identity source{};            // whose position the watermark is
  std::uint64_t beat = 0;       // another one after each step of who moves the watermark

  // The watermark, where it says whose position it is.
  std::optional<Watermark> reached() const noexcept {
    if (!source.is_set()) return std::nullopt;
    return Watermark{source, watermark};
  }

  // Returns whether nobody has changed the filter since these notes were read.
  bool stand_at(const Identity& identity_then, const std::optional<Watermark>& reached_then,
                std::uint64_t beat_then) const noexcept {
    return identity == identity_then && reached() == reached_then && beat == beat_then;
  }
  // A step of who moves the watermark, which may stay where it is. Where two may do so at once, a
  // random `by` makes sure that no two steps from the same place are the same.
  void step(const std::optional<Watermark>& next, std::uint64_t by = 1) noexcept {
    if (next) {
      source = next->source;
      watermark = next->position;
    }
    beat += by;
  }
};

inline constexpr std::size_t kMaxNoteBytes = 32 * 1024;
inline constexpr std::size_t kMaxChainBytes = 32 * 1024;  // of FileHeader::chain

}  // namespace bloomery
