// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace bloomery::cli {

// A text file with a word on each line.
struct WordList {
  std::string path;
  std::uint64_t word_count = 0;
};

inline constexpr const char* kWordListFolder = "/usr/share/dict";
inline constexpr std::uint64_t kFewestWords = 300'000;

// The list of Debian's package wamerican-huge, or else the first by name in the folder that is long
// enough. Throws StoreError, saying what to install, where there is none.
WordList find_word_list(const std::string& folder = kWordListFolder);

}  // namespace bloomery::cli
