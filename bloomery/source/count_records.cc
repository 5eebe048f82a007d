#include "bloomery/source/count_records.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>

#include "bloomery/errors.h"
#include "bloomery/source/gunzip.h"

namespace bloomery {

std::uint64_t count_byte(std::span<const char> bytes, char byte) noexcept {
  // A column of small counters that compilers turn into vectors. None overflows in 255 rows.
  constexpr std::size_t kColumns = 64;
  constexpr std::size_t kRows = 255;
  std::uint64_t count = 0;
  while (bytes.size() >= kColumns) {
    const std::size_t rows = std::min(kRows, bytes.size() / kColumns);
    std::array<std::uint8_t, kColumns> columns{};
    for (std::size_t row = 0; row < rows; ++row) {
      const char* const line = bytes.data() + row * kColumns;
      for (std::size_t i = 0; i < kColumns; ++i) {
        columns[i] = static_cast<std::uint8_t>(columns[i] + (line[i] == byte ? 1 : 0));
      }
    }
    count = std::accumulate(columns.begin(), columns.end(), count);
    bytes = bytes.subspan(rows * kColumns);
  }
  return count + static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), byte));
}

std::uint64_t count_records(const InputFile& file, char separator) {
  if (!file.is_regular()) {
    throw StoreError(file.name() + ": is no regular file, its records cannot be counted first");
  }
  constexpr std::size_t kBlockBytes = 256 * 1024;
  const auto block = std::make_unique_for_overwrite<char[]>(kBlockBytes);
  std::uint64_t count = 0;
  std::uint64_t offset = 0;
  char last = separator;
  const auto read_raw = [&](char* out, std::size_t byte_count) {
    const std::size_t got = file.read_at(offset, out, byte_count);
    offset += got;
    return got;
  };
  std::optional<Gunzip> gunzip;
  if (file.is_compressed()) gunzip.emplace(file.name());
  const auto read = [&] {
    return gunzip ? gunzip->read(block.get(), kBlockBytes, read_raw)
                  : read_raw(block.get(), kBlockBytes);
  };
  while (const std::size_t got = read()) {
    count += count_byte({block.get(), got}, separator);
    last = block[got - 1];
  }
  return count + (last == separator ? 0 : 1);
}

}  // namespace bloomery
