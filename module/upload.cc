// SPDX-License-Identifier: Apache-2.0
#include "module/upload.h"

namespace bloomery::module {
namespace {

constexpr const char* kSuffix = ".loading";

// Servers hash what is between the first brace and the first that closes after it, if anything is.
bool has_hash_tag(std::string_view key) noexcept {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) return false;
  const std::size_t close = key.find('}', open + 1);
  return close != std::string_view::npos && close != open + 1;
}

}  // namespace

void Upload::take(std::span<const std::byte> piece) {
  const bool had_head = reader->header().has_value();
  reader->take(piece);
  if (!had_head && reader->header()) beside.add(reader->header()->layout.body_bytes);
}

void Upload::take_over(const Upload& other) noexcept {
  had_filter = had_filter || other.had_filter;
  was_moved = was_moved || other.was_moved;
  for (const AddedMeanwhile::Item& each : other.added.all()) {
    added.note(each.text, each.milliseconds, each.times);
  }
  if (!other.added.spoilt().empty()) added.spoil(other.added.spoilt());
}

std::optional<std::string> upload_key(std::string_view key, bool in_cluster) {
  if (has_hash_tag(key)) return std::string(key) + kSuffix;
  const bool can_be_tag = !key.empty() && key.find('}') == std::string_view::npos;
  if (can_be_tag) return "{" + std::string(key) + "}" + kSuffix;
  if (in_cluster) return std::nullopt;
  return std::string(key) + kSuffix;
}

}  // namespace bloomery::module
