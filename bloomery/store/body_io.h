// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/format/native/file_layout.h"
#include "bloomery/store/regular_file.h"

// The body of a native file and its checksums, in one pass of a megabyte at a time.
namespace bloomery {

struct BodyDamage {
  std::uint64_t block_count = 0;
  std::optional<std::uint64_t> first_block;
};

// Reads and checks the body. With `words`, which are then as many as the body has, leaves it there.
BodyDamage read_body(const RegularFile& file, const FileLayout& layout,
                     std::span<std::uint64_t> words = {});

// The checksums and the count of 1 bits as the body itself has them, whatever the table says.
struct BodySummary {
  std::vector<std::uint32_t> checksums;
  std::uint64_t ones = 0;
};
BodySummary summarize_body(const RegularFile& file, const FileLayout& layout);

// "damaged: checksum of body block ..." for a FormatError.
std::string describe(const BodyDamage& damage, const FileLayout& layout);

}  // namespace bloomery
