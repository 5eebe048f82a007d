// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/word_list.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/count_records.h"

namespace bloomery::cli {
namespace {

constexpr const char* kPreferred = "american-english-huge";

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) paths.push_back(entry->path().string());
  }
  std::ranges::sort(paths);
  std::stable_partition(paths.begin(), paths.end(), [](const std::string& path) {
    return std::filesystem::path(path).filename() == kPreferred;
  });
  return paths;
}

}  // namespace

WordList find_word_list(const std::string& folder) {
  for (const std::string& path : files_of(folder)) {
    try {
      const std::uint64_t count = count_records(InputFile::open(path));
      if (count >= kFewestWords) return {.path = path, .word_count = count};
    } catch (const StoreError&) {
      // A list that cannot be read is none.
    }
  }
  throw StoreError(folder + ": holds no word list of " + std::to_string(kFewestWords) +
                   " words; install one (apt-get install wamerican-huge), or name a database of " +
                   "yours with --db FILE --table TABLE --column COLUMN");
}

}  // namespace bloomery::cli
