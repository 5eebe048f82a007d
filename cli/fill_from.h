// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bloomery/filter/any_filter.h"
#include "bloomery/source/key_source.h"
#include "cli/arguments.h"
#include "cli/key_choice.h"
#include "cli/report.h"

namespace bloomery::cli {

// A filter of all keys of a source.
struct FillRequest {
  std::string from{};
  NewFilter filter{};
  SourceOptions source{};
  KeyChoice keys{};
  unsigned threads = 1;
};

struct Filled {
  AnyFilter filter;
  SourceTotals totals;
  KeyForm form;
  std::optional<double> growth{};  // capacity by keys, where these were counted beforehand
};

// Adds what room for more keys was taken, and what becomes of more, if the keys were counted or
// estimated beforehand.
void add_growth(Report& report, const Filled& filled);

// Counts the keys where nobody said how many there will be, and makes room for half more where they
// are of a database: its tables grow. Then calls `begin`, then reads them.
// `place` is where the filter will be: its format, if any, decides how it is made. Progress is
// shown as that of `label`. Throws as open_source and the making of filters do, and
// std::invalid_argument for a source that cannot be counted: all of it before `begin`, where that
// can be known.
Filled fill_from(const FillRequest& request, const PlaceLocation& place, const std::string& label,
                 const std::function<void()>& begin = {});

// Counts, reads and throws as fill_from() does, for a filter that its server fills: the keys go to
// the consumer that `begin` returns. Capacity, rate and form of keys of `wanted` are known.
SourceTotals send_keys(const FillRequest& request, const PlaceLocation& place,
                       const std::string& label,
                       const std::function<BatchConsumer(const NewFilter& wanted)>& begin);

}  // namespace bloomery::cli
