// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "module/redis_api.h"

// Sums over all filters of the server, for INFO: kept as the filters change, so that asking costs
// nothing however many there are.
namespace bloomery::module {

struct Totals {
  std::uint64_t filters = 0;
  std::uint64_t layers = 0;
  std::uint64_t items = 0;
  std::uint64_t capacity = 0;
  std::uint64_t bytes = 0;
};

enum class TotalsOf : std::uint8_t { bloom, cuckoo };
Totals totals(TotalsOf which) noexcept;

// One filter's share, for as long as this lives. Filters are freed in a thread of the server's.
class CountedInTotals {
 public:
  explicit CountedInTotals(TotalsOf which) noexcept : which_(which) {}
  ~CountedInTotals() { update({}); }
  CountedInTotals(const CountedInTotals&) = delete;
  CountedInTotals& operator=(const CountedInTotals&) = delete;

  const Totals& now() const noexcept { return share_; }
  void update(const Totals& share) noexcept;

 private:
  TotalsOf which_;
  Totals share_{};
};

// INFO has a section for each from now on.
void register_totals(Context* context);

}  // namespace bloomery::module
