// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/snapshot.h"

#include <algorithm>
#include <charconv>

#include "bloomery/errors.h"
#include "bloomery/text/printable.h"

namespace bloomery::postgres {
namespace {

// Reads a number and what stands behind it, which may be the end.
std::uint32_t take_number(std::string_view& text, char behind) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || (length < text.size() && text[length] != behind)) {
    throw FormatError("no snapshot: " + printable(text, 100));
  }
  text.remove_prefix(std::min(text.size(), length + 1));
  return static_cast<std::uint32_t>(number);
}

bool is_before(std::uint32_t one, std::uint32_t other) noexcept {
  return static_cast<std::int32_t>(one - other) < 0;
}

}  // namespace

Snapshot::Snapshot(std::string_view text)
    : first_open_(take_number(text, ':')), end_(take_number(text, ':')) {
  while (!text.empty()) open_.push_back(take_number(text, ','));
}

bool Snapshot::sees(std::uint32_t transaction) const {
  if (is_before(transaction, first_open_)) return true;
  return is_before(transaction, end_) && std::ranges::find(open_, transaction) == open_.end();
}

}  // namespace bloomery::postgres
