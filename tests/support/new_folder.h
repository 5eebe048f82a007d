// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>

namespace bloomery {

// A new, empty folder of a test's, which removes it: the one place where tests make one.
inline std::string new_folder() {
#if defined(_WIN32)
  for (std::random_device draw;;) {
    const auto path =
        std::filesystem::temp_directory_path() / ("bloomery-" + std::to_string(draw()));
    if (std::filesystem::create_directory(path)) return path.string();
  }
#else
  std::string name = (std::filesystem::temp_directory_path() / "bloomery-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return name;
#endif
}

}  // namespace bloomery
