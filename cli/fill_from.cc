// SPDX-License-Identifier: Apache-2.0
#include "cli/fill_from.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bloomery/source/open_source.h"
#include "bloomery/source/server_location.h"
#include "cli/filter_filler.h"
#include "cli/filter_report.h"
#include "cli/prepared_hashes.h"
#include "cli/read_keys.h"

namespace bloomery::cli {
namespace {

std::uint64_t count_keys(KeySource& source, const std::string& from) {
  const std::optional<std::uint64_t> count = source.expected_count();
  if (!count) {
    throw std::invalid_argument("how many keys will come from " + source_name(from) +
                                " cannot be counted beforehand; say how many with -n");
  }
  return std::max<std::uint64_t>(1, *count);
}

// What is known before the keys are read.
struct Supply {
  KeyForm form{};
  SourceOptions options{};
  std::unique_ptr<KeySource> source{};
  NewFilter wanted{};  // with capacity and rate
};

Supply open_supply(const FillRequest& request, const PlaceLocation& place) {
  Supply supply{.form = form_of_new(request.keys, place), .wanted = request.filter};
  supply.options = with_form(request.source, supply.form);
  supply.options.counting_threads = request.threads;
  supply.source = open_source(request.from, supply.options);
  NewFilter& wanted = supply.wanted;
  wanted.keys = supply.form;
  if (!wanted.capacity) wanted.capacity = count_keys(*supply.source, request.from);
  if (!wanted.rate) wanted.rate = kDefaultRate;
  return supply;
}

FilterFiller filler_of(const NewFilter& wanted, const PlaceLocation& place, unsigned threads) {
  if (place.has_own_kinds()) return {wanted.kind_or_default(), wanted.options(), threads};
  return FilterFiller(empty_filter(wanted, place), threads);
}

}  // namespace

Filled fill_from(const FillRequest& request, const PlaceLocation& place, const std::string& label,
                 const std::function<void()>& begin) {
  auto [form, options, source, wanted] = open_supply(request, place);
  FilterFiller filler = filler_of(wanted, place, request.threads);
  if (begin) {
    begin();
    // What was counted may be a view from before.
    if (request.from != "-") source = open_source(request.from, options);
  }
  bool advised = false;
  PreparedHashes hashes(filler.parameters(), request.threads);
  const SourceTotals totals = read_keys(
      *source, label, {wanted.capacity, source->expected_byte_count()},
      [&](const Batch& batch) {
        if (!std::exchange(advised, true) && filler.filter() != nullptr) {
          advise_of_keys(place, filler.filter()->geometry().bit_count, batch.keys);
        }
        filler.add(hashes.of(batch));
        return true;
      },
      hashes.preparation());
  return {std::move(filler).finish(), totals, form};
}

SourceTotals send_keys(const FillRequest& request, const PlaceLocation& place,
                       const std::string& label,
                       const std::function<BatchConsumer(const NewFilter& wanted)>& begin) {
  const Supply supply = open_supply(request, place);
  return read_keys(*supply.source, label,
                   {supply.wanted.capacity, supply.source->expected_byte_count()},
                   begin(supply.wanted));
}

}  // namespace bloomery::cli
