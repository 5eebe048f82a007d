// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over every file of the folders given: what fuzzers once found stays found.

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "fuzz_target.h"

namespace {

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int replay(int folder_count, char** folders) {
  int replayed = 0;
  for (int i = 0; i < folder_count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(folders[i])) {
      if (!entry.is_regular_file()) continue;
      std::cout << entry.path().filename().string() << std::endl;  // flushed: it may abort next
      const auto bytes = bytes_of(entry.path());
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      ++replayed;
    }
  }
  if (replayed == 0) std::cerr << "the corpus is empty\n";
  return replayed == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return replay(argc - 1, argv + 1);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
