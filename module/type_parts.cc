// SPDX-License-Identifier: Apache-2.0
#include "module/type_parts.h"

#include <algorithm>
#include <memory>

#include "bloomery/errors.h"

namespace bloomery::module {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
constexpr std::size_t kSmallPiece = std::size_t{64} << 10;

}  // namespace

std::size_t free_effort_of(std::uint64_t byte_count) noexcept {
  constexpr std::size_t kPageBytes = std::size_t{1} << 16;
  return 1 + byte_count / kPageBytes;
}

std::uint64_t load_number(Io* io) {
  const std::uint64_t value = api().load_unsigned(io);
  if (api().is_io_error(io) != 0) throw FormatError("a bloomery filter that ends in the midst");
  return value;
}

std::string load_string(Io* io) {
  struct Free {
    void operator()(char* bytes) const noexcept { api().free(bytes); }
  };
  std::size_t size = 0;
  const std::unique_ptr<char, Free> text(api().load_bytes(io, &size));
  if (api().is_io_error(io) != 0 || text == nullptr) {
    throw FormatError("a bloomery filter that ends in the midst");
  }
  return {text.get(), size};
}

void Pieces::add(std::span<const std::byte> bytes) {
  if (piece_.capacity() == 0) piece_.reserve(std::min(kPieceBytes, bytes.size() + kSmallPiece));
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
