// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/filter/geometry.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

struct FollowerStatus {
  enum class State : std::uint8_t { starting, scanning, following, failing, ended };

  State state = State::starting;
  std::uint64_t key_count = 0;  // about how many keys the filter holds
  std::uint64_t capacity = 0;   // 0: unknown
  // `geometry`: set where the rate follows from it and from the number of keys; else it has no
  // bits.
  Geometry geometry{};
  std::uint64_t scanned = 0;   // keys read by scans
  std::uint64_t carried = 0;   // keys that came as changes
  std::uint64_t deleted = 0;   // rows that went since the filter was made
  std::uint64_t resumed = 0;   // how often it went on where it was
  std::uint64_t rebuilds = 0;  // how often it had to scan, or wanted to
  std::uint64_t failures = 0;
  std::uint64_t audited = 0;  // rows that it was asked back for
  std::uint64_t denied = 0;   // how often one of them was denied
  // Rows of which a cache may have an old entry, until it expires.
  std::uint64_t left_entries = 0;
  bool is_doubted = false;    // one was, and that filter is still there
  bool cannot_grow = false;   // it was made for fewer keys than were asked for
  bool has_watermark = true;  // else no fence is ever reached: another system's filter
  std::optional<Watermark> watermark{};
  std::optional<std::chrono::steady_clock::time_point> fresh_as_of{};
  std::string last_error{};
  std::uint64_t anew = 0;     // how often the source could not go on from the filter's watermark
  std::string scan_reason{};  // why the last of them was
};

std::string_view state_name(FollowerStatus::State state) noexcept;

// Returns whether the filter has more keys than it was made for and will have: its rate is worse,
// and it denies no row that it has.
bool is_full_for_good(const FollowerStatus& status) noexcept;

// The false positive rate that so many keys give the filter: none where that is no formula of them,
// or where nobody has counted them yet.
std::optional<double> rate_now(const FollowerStatus& status) noexcept;

}  // namespace bloomery
