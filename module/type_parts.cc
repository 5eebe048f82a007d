#include "module/type_parts.h"

#include <algorithm>

namespace bloomery::module {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

}  // namespace

std::size_t free_effort_of(std::uint64_t byte_count) noexcept {
  constexpr std::size_t kPageBytes = std::size_t{1} << 16;
  return 1 + byte_count / kPageBytes;
}

void Pieces::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kPieceBytes - piece_.size()));
    piece_.insert(piece_.end(), part.begin(), part.end());
    bytes = bytes.subspan(part.size());
    if (piece_.size() < kPieceBytes) return;
    sink_(piece_);
    piece_.clear();
  }
}

Pieces::~Pieces() {
  if (!piece_.empty()) sink_(piece_);
}

}  // namespace bloomery::module
