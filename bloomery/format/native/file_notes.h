#pragma once

#include <cstdint>
#include <string>

namespace bloomery {

// What a filter's file may say beside the filter. Zero and empty mean "not said".
struct FileNotes {
  std::uint64_t watermark = 0;  // how far the database had been read into it
  std::string note{};           // anything, in UTF-8; at most kMaxNoteBytes
  std::uint32_t epoch = 0;      // which rebuild of the filter this is
};

inline constexpr std::size_t kMaxNoteBytes = 32 * 1024;

}  // namespace bloomery
