// SPDX-License-Identifier: Apache-2.0
#include "module/totals.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "module/call.h"

namespace bloomery::module {
namespace {

struct Field {
  std::uint64_t Totals::*member;
  const char* names[2];  // by TotalsOf; those of Bloom filters are valkey-bloom's
};
constexpr std::array<Field, 5> kFields{
    {{&Totals::bytes, {"bloom_total_memory_bytes", "cuckoo_total_memory_bytes"}},
     {&Totals::filters, {"bloom_num_objects", "cuckoo_num_objects"}},
     {&Totals::layers, {"bloom_num_filters_across_objects", "cuckoo_num_filters_across_objects"}},
     {&Totals::items, {"bloom_num_items_across_objects", "cuckoo_num_items_across_objects"}},
     {&Totals::capacity, {"bloom_capacity_across_objects", "cuckoo_capacity_across_objects"}}}};
constexpr const char* kSections[] = {"bloom_core_metrics", "cuckoo_core_metrics"};

// Each number by itself: what is read while another thread frees a filter may be of before and
// after.
std::array<std::array<std::atomic<std::uint64_t>, kFields.size()>, 2> sums{};

void tell(Info* info, int) noexcept {
  for (const TotalsOf which : {TotalsOf::bloom, TotalsOf::cuckoo}) {
    const auto of = static_cast<std::size_t>(which);
    if (api().add_info_section(info, kSections[of]) != kOk) continue;
    const Totals all = totals(which);
    for (const Field& field : kFields) {
      api().add_info_number(info, field.names[of], all.*field.member);
    }
  }
}

}  // namespace

Totals totals(TotalsOf which) noexcept {
  Totals all;
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    all.*kFields[i].member =
        sums[static_cast<std::size_t>(which)][i].load(std::memory_order_relaxed);
  }
  return all;
}

void CountedInTotals::update(const Totals& share) noexcept {
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    const auto member = kFields[i].member;
    if (share.*member == share_.*member) continue;
    sums[static_cast<std::size_t>(which_)][i].fetch_add(share.*member - share_.*member,
                                                        std::memory_order_relaxed);
  }
  share_ = share;
}

void register_totals(Context* context) {
  api().register_info(context, tell);
}

}  // namespace bloomery::module
