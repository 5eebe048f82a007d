#include "cli/fill_from.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bloomery/source/open_source.h"
#include "cli/filter_filler.h"
#include "cli/filter_report.h"
#include "cli/prepared_hashes.h"
#include "cli/read_keys.h"

namespace bloomery::cli {
namespace {

constexpr double kDefaultRate = 0.01;

std::uint64_t count_keys(KeySource& source, const std::string& from) {
  const std::optional<std::uint64_t> count = source.expected_count();
  if (!count) {
    throw std::invalid_argument("how many keys will come from " + from +
                                " cannot be counted beforehand; say how many with -n");
  }
  return std::max<std::uint64_t>(1, *count);
}

FilterFiller filler_of(const NewFilter& wanted, const PlaceLocation& place, unsigned threads) {
  if (place.format == nullptr) return {wanted.kind_or_default(), wanted.options(), threads};
  return FilterFiller(empty_filter(wanted, place), threads);
}

}  // namespace

Filled fill_from(const FillRequest& request, const PlaceLocation& place, const std::string& label,
                 const std::function<void()>& begin) {
  const KeyForm form = form_of_new(request.keys, place);
  SourceOptions options = with_form(request.source, form);
  options.counting_threads = request.threads;
  auto source = open_source(request.from, options);
  NewFilter wanted = request.filter;
  wanted.keys = form;
  if (!wanted.capacity) wanted.capacity = count_keys(*source, request.from);
  if (!wanted.rate) wanted.rate = kDefaultRate;
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

}  // namespace bloomery::cli
