// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/format/rdb/rdb_file.h"
#include "bloomery/os/file_mapping.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/regular_file.h"

namespace bloomery::cli {

// A server's dump in memory, a page at a time, and what is in it.
class DumpFile {
 public:
  // Throws FormatError and StoreError that name the file, as read() does.
  explicit DumpFile(const std::string& path);

  // Calls get(bytes).
  template <class Get>
  auto read(Get get) const {
    try {
      auto got = get(mapping_ ? std::span<const std::byte>(mapping_->bytes())
                              : std::span<const std::byte>());
      if (mapping_ && mapping_->is_damaged()) {
        throw_store_error(path_, "was cut short while it was read");
      }
      return got;
    } catch (const FormatError& error) {
      throw_format_error(path_, error.what());
    }
  }

  const rdb::RdbFile& contents() const noexcept { return contents_; }

 private:
  std::string path_;
  RegularFile file_;
  std::optional<FileMapping> mapping_{};
  rdb::RdbFile contents_{};
};

}  // namespace bloomery::cli
