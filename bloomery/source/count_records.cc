// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/count_records.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/bulk/run_threads.h"
#include "bloomery/source/encoding.h"

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

namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} * 1024;
constexpr std::uint64_t kFewestBytesOfAThread = std::uint64_t{4} << 20;

// The count of one stretch of the text.
struct Counted {
  std::uint64_t separators = 0;
  std::optional<char> last{};  // byte; none: it is empty
  std::exception_ptr problem{};
};

// Calls read(room, byte_count) until it gives nothing.
template <class Read>
Counted count_all(char separator, Read read) {
  const auto block = std::make_unique_for_overwrite<char[]>(kBlockBytes);
  Counted counted;
  while (const std::size_t got = read(block.get(), kBlockBytes)) {
    counted.separators += count_byte({block.get(), got}, separator);
    counted.last = block[got - 1];
  }
  return counted;
}

Counted count_encoded(const InputFile& file, char separator) {
  std::uint64_t offset = 0;
  const auto decoder = make_decoder(file.encoded(), file.name());
  return count_all(separator, [&](char* out, std::size_t byte_count) {
    return decoder->read(out, byte_count, [&](char* room, std::size_t room_bytes) {
      const std::size_t got = file.read_at(offset, room, room_bytes);
      offset += got;
      return got;
    });
  });
}

Counted count_stretch(const InputFile& file, char separator, std::uint64_t from, std::uint64_t to) {
  return count_all(separator, [&](char* out, std::size_t byte_count) {
    const std::uint64_t most = std::min<std::uint64_t>(byte_count, to - from);
    const std::size_t got = most == 0 ? 0 : file.read_at(from, out, most);
    from += got;
    return got;
  });
}

// The last thread also counts what the file grows by meanwhile.
Counted count_plain(const InputFile& file, char separator, unsigned threads) {
  const std::uint64_t byte_count = file.byte_count().value_or(0);
  const std::uint64_t parts =
      std::clamp<std::uint64_t>(byte_count / kFewestBytesOfAThread, 1, threads);
  std::vector<Counted> counted(parts);
  run_threads(parts, [&](std::size_t part) {
    const bool is_last = part + 1 == parts;
    const std::uint64_t end = is_last ? ~std::uint64_t{0} : byte_count / parts * (part + 1);
    try {
      counted[part] = count_stretch(file, separator, byte_count / parts * part, end);
    } catch (...) {
      counted[part].problem = std::current_exception();
    }
  });
  Counted all;
  for (const Counted& each : counted) {
    if (each.problem) std::rethrow_exception(each.problem);
    all.separators += each.separators;
    if (each.last) all.last = each.last;
  }
  return all;
}

}  // namespace

std::uint64_t count_records(const InputFile& file, char separator, unsigned threads) {
  if (!file.is_regular()) {
    throw StoreError(file.name() + ": is no regular file, its records cannot be counted first");
  }
  const Counted counted = file.encoded() != Encoded::plain ? count_encoded(file, separator)
                                                           : count_plain(file, separator, threads);
  return counted.separators + (counted.last.value_or(separator) == separator ? 0 : 1);
}

}  // namespace bloomery
