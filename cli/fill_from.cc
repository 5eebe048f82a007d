// SPDX-License-Identifier: Apache-2.0
#include "cli/fill_from.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bloomery/format/kinds.h"
#include "bloomery/source/open_source.h"
#include "bloomery/source/server_location.h"
#include "bloomery/source/source_location.h"
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

// The capacity by the keys that are counted. Half more in a database: tables grow, and a filter
// that is full is too small the next day. A filter that grows, forgets or takes no more needs no
// room.
double growth_of(const FillRequest& request, const PlaceLocation& place) {
  const Kind& kind = kind_of(request.filter.kind_or_default());
  const bool is_ours = place.has_own_kinds();
  if (request.filter.growth) {
    if (is_ours && kind.built_once) {
      throw std::invalid_argument(
          "--capacity: a static filter is built once and takes no more keys, so there is no room "
          "to "
          "make for them");
    }
    return *request.filter.growth;
  }
  const bool needs_none = is_ours && (kind.built_once || kind.has_layers || kind.forgets);
  return !needs_none && parse_source_location(request.from).is_database() ? 1.5 : 1;
}

// Supply has what is known before the keys are read.
struct Supply {
  std::uint64_t expected = 0;  // keys
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
  if (wanted.capacity) {
    supply.expected = *wanted.capacity;
  } else {
    wanted.growth = growth_of(request, place);
    supply.expected = count_keys(*supply.source, request.from);
    wanted.capacity = static_cast<std::uint64_t>(
        std::ceil(*wanted.growth * static_cast<double>(supply.expected)));
  }
  if (!wanted.rate) wanted.rate = kDefaultRate;
  return supply;
}

FilterFiller filler_of(const NewFilter& wanted, const PlaceLocation& place, unsigned threads) {
  if (place.has_own_kinds()) return {wanted.kind_or_default(), wanted.options(), threads};
  return FilterFiller(empty_filter(wanted, place), threads);
}

}  // namespace

void add_growth(Report& report, const Filled& filled) {
  if (!filled.growth) return;
  const double growth = *filled.growth;
  const Kind& kind = kind_of(filled.filter.parameters().kind);
  std::string text = short_number(growth) + ": made for as many keys as were counted or estimated";
  if (growth != 1) {
    text = short_number(growth) + ": room for " + short_number(100 * (growth - 1)) +
           " % more keys than were counted";
  }
  if (kind.has_layers) text += "; it grows when more come";
  if (kind.forgets) text += " within a window";
  if (kind.built_once) text += "; it takes no more";
  report.add("growth", growth, text);
}

Filled fill_from(const FillRequest& request, const PlaceLocation& place, const std::string& label,
                 const std::function<void()>& begin) {
  auto [expected, form, options, source, wanted] = open_supply(request, place);
  FilterFiller filler = filler_of(wanted, place, request.threads);
  if (begin) {
    begin();
    // Opens the source again, as the one that was counted may be a view from before begin().
    if (request.from != "-") source = open_source(request.from, options);
  }
  bool advised = false;
  PreparedHashes hashes(filler.parameters(), request.threads);
  const SourceTotals totals = read_keys(
      *source, label, {expected, source->expected_byte_count()},
      [&](const Batch& batch) {
        if (!std::exchange(advised, true) && filler.filter() != nullptr) {
          advise_of_keys(place, filler.filter()->geometry().bit_count, batch.keys);
        }
        filler.add(hashes.of(batch));
        return true;
      },
      hashes.preparation(), form.normalise);
  return {std::move(filler).finish(), totals, form, wanted.growth};
}

SourceTotals send_keys(const FillRequest& request, const PlaceLocation& place,
                       const std::string& label,
                       const std::function<BatchConsumer(const NewFilter& wanted)>& begin) {
  const Supply supply = open_supply(request, place);
  return read_keys(*supply.source, label, {supply.expected, supply.source->expected_byte_count()},
                   begin(supply.wanted), {}, supply.form.normalise);
}

}  // namespace bloomery::cli
