// SPDX-License-Identifier: Apache-2.0
#include "cli/rdb/dump_file.h"

#include <system_error>

namespace bloomery::cli {

DumpFile::DumpFile(const std::string& path)
    : path_(path), file_(RegularFile::open(path, RegularFile::Access::read)) {
  try {
    if (file_.size() > 0) {
      mapping_.emplace(file_.descriptor(), file_.size(), FileMapping::Changes::stay_here, true);
    }
    contents_ = read([](std::span<const std::byte> bytes) { return rdb::read_rdb(bytes); });
  } catch (const std::system_error& error) {
    throw_store_error(path_, error.what());
  }
}

}  // namespace bloomery::cli
