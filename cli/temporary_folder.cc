// SPDX-License-Identifier: Apache-2.0
#include "cli/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "bloomery/errors.h"

namespace bloomery::cli {

std::string new_temporary_folder(const std::string& prefix, const std::string& wanted_for) {
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error).string();
  if (!error) {
    folder = (std::filesystem::absolute(folder) / (prefix + "XXXXXX")).string();
    if (mkdtemp(folder.data()) != nullptr) return folder;
    error.assign(errno, std::system_category());
  }
  throw StoreError("cannot make a folder for " + wanted_for +
                   (folder.empty() ? "" : ": " + folder) + ": " + error.message() +
                   "; TMPDIR names another place");
}

}  // namespace bloomery::cli
