#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/store/file_layout.h"
#include "bloomery/store/regular_file.h"
#include "bloomery/store/replacement_file.h"

// The body of a native file and its checksums, in one pass of a megabyte at a time.
namespace bloomery {

// Appends the words, one array after the other, and the table. Takes each block as it is at one
// moment, so bits may be set meanwhile.
void write_body(ReplacementFile& file, std::span<const std::span<const std::uint64_t>> arrays);

struct BodyDamage {
  std::uint64_t block_count = 0;
  std::optional<std::uint64_t> first_block;
};

// Reads and checks the body. With `words`, which are then as many as the body has, leaves it there.
BodyDamage read_body(const RegularFile& file, const FileLayout& layout,
                     std::span<std::uint64_t> words = {});

// What the body says by itself, whatever the table says.
struct BodySummary {
  std::vector<std::uint32_t> checksums;
  std::uint64_t ones = 0;
};
BodySummary summarize_body(const RegularFile& file, const FileLayout& layout);

// "damaged: checksum of body block ..." for a FormatError.
std::string describe(const BodyDamage& damage, const FileLayout& layout);

}  // namespace bloomery
