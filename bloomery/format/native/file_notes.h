#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/filter/watermark.h"

namespace bloomery {

// What a filter's file may say beside the filter. Zero and empty mean "not said".
struct FileNotes {
  std::uint64_t watermark = 0;  // how far the database had been read into it
  std::string note{};           // anything, in UTF-8; at most kMaxNoteBytes
  std::uint32_t epoch = 0;      // which rebuild of the filter this is
  Identity identity{};          // made anew by whatever clears bits
  Identity source{};            // whose position the watermark is
  std::uint64_t beat = 0;       // counts the steps of who moves the watermark

  // The watermark, where it says whose position it is.
  std::optional<Watermark> reached() const noexcept {
    if (!source.is_set()) return std::nullopt;
    return Watermark{source, watermark};
  }
};

inline constexpr std::size_t kMaxNoteBytes = 32 * 1024;

}  // namespace bloomery
