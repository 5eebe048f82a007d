// SPDX-License-Identifier: Apache-2.0
#include "module/added_meanwhile.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace bloomery::module {
namespace {

constexpr std::uint64_t kBytesAnItem = 160;  // its place in the list and in the table
constexpr std::uint64_t kAskedAtATime = std::uint64_t{1} << 20;

}  // namespace

bool AddedMeanwhile::keep(std::string_view item, std::uint64_t milliseconds, std::uint64_t times) {
  const auto known = places_.find(item);
  if (known != places_.end()) {
    Item& of = items_[known->second];
    of.times += times;
    of.milliseconds = std::max(of.milliseconds, milliseconds);
    return false;
  }
  count(item.size() + kBytesAnItem);
  items_.push_back({std::string(item), times, milliseconds});
  try {
    places_.emplace(items_.back().text, items_.size() - 1);
  } catch (...) {
    items_.pop_back();
    throw;
  }
  return true;
}

bool AddedMeanwhile::note(std::string_view item, std::uint64_t milliseconds,
                          std::uint64_t times) noexcept {
  if (!spoilt_.empty()) return true;
  try {
    return keep(item, milliseconds, times);
  } catch (const std::exception&) {
    spoil("no memory for the items that were added meanwhile");
  }
  return true;
}

void AddedMeanwhile::spoil(std::string reason) noexcept {
  spoilt_ = std::move(reason);
  places_.clear();
  items_.clear();
}

void AddedMeanwhile::count(std::uint64_t bytes) {
  if (bytes_ + bytes > asked_bytes_) {
    const std::uint64_t more = std::max(kAskedAtATime, bytes);
    require_room(more);
    memory_.add_own(more);
    asked_bytes_ += more;
  }
  bytes_ += bytes;
}

}  // namespace bloomery::module
