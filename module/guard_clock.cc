// SPDX-License-Identifier: Apache-2.0
#include "module/guard_clock.h"

#include <algorithm>
#include <chrono>

namespace bloomery::module {
namespace {

std::string digits(std::int64_t number, std::size_t width) {
  std::string text = std::to_string(number);
  text.insert(0, width - std::min(width, text.size()), '0');
  return text;
}

template <class Unit>
std::int64_t now() noexcept {
  return std::chrono::floor<Unit>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::int64_t guard_now_ms() noexcept {
  return now<std::chrono::milliseconds>();
}

std::string next_lease_moment() {
  static std::int64_t last = 0;
  last = std::max(last + 1, now<std::chrono::microseconds>());
  return digits(last, 16);
}

std::string moment_digits(std::int64_t milliseconds) {
  return digits(milliseconds, kGuardMomentSize);
}

}  // namespace bloomery::module
