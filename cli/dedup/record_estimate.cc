// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/record_estimate.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bloomery/source/count_records.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kPieceBytes = 16 * 1024;
constexpr std::uint64_t kPieces = 64;

}  // namespace

std::uint64_t estimate_records(const InputFile& file, char separator) {
  const std::uint64_t byte_count = file.byte_count().value();
  if (byte_count <= kPieceBytes * kPieces || file.encoded() != Encoded::plain) {
    return count_records(file, separator);
  }
  const auto piece = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  double sum = 0;  // of records a byte
  double squares = 0;
  double pieces = 0;
  for (std::uint64_t i = 0; i < kPieces; ++i) {
    const std::uint64_t offset = (byte_count - kPieceBytes) / (kPieces - 1) * i;
    const std::size_t got = file.read_at(offset, piece.get(), kPieceBytes);
    if (got == 0) break;  // cut short meanwhile
    const double density =
        static_cast<double>(count_byte({piece.get(), got}, separator)) / static_cast<double>(got);
    sum += density;
    squares += density * density;
    ++pieces;
  }
  if (pieces == 0) return 1;
  const double mean = sum / pieces;
  const double error = std::sqrt(std::max(0.0, squares / pieces - mean * mean) / pieces);
  const double density = std::min(1.0, std::max(1.05 * mean, mean + 3 * error));
  return static_cast<std::uint64_t>(density * static_cast<double>(byte_count)) + 1;
}

}  // namespace bloomery::cli
