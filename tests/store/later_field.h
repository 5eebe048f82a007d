// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>

#include "bloomery/format/native/crc32c.h"
#include "tests/store/scratch_folder.h"

namespace bloomery::testing {

// A field that a later program put into a native file's head, which this one skips.
inline void add_later_field(const std::filesystem::path& path) {
  std::string bytes = read_file(path);
  const auto byte_of = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  const std::size_t field_bytes = byte_of(14) + 256U * byte_of(15);
  bytes.replace(64 + field_bytes, 8, std::string("\x01\x80\x04\0new!", 8));
  bytes[14] = static_cast<char>(field_bytes + 8);
  const auto all = std::as_bytes(std::span(bytes));
  const std::uint32_t checksum = crc32c(all.subspan(64, field_bytes + 8), crc32c(all.first(60)));
  std::memcpy(bytes.data() + 60, &checksum, sizeof checksum);
  write_file(path, bytes);
}

}  // namespace bloomery::testing
