// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/format.h"
#include "bloomery/open/open_place.h"
#include "tests/support/redis_server.h"

namespace bloomery {

// A way to have a filter in strings of a server.
struct LiveLayout {
  std::string format;
  std::string settings;  // of the location, each behind a &
  AnyFilter filter;      // empty
  bool has_watermark = false;
};

inline std::vector<LiveLayout> live_layouts(const FilterOptions& options) {
  const auto foreign = [&](const std::string& format, const FormatSettings& settings = {}) {
    return find_format(format)->create(options, settings);
  };
  std::vector<LiveLayout> all;
  all.push_back({"bitmap", "", make_filter(FilterKind::blocked, options), true});
  all.push_back({"bitmap", "&partitions=3", make_filter(FilterKind::blocked, options), true});
  all.push_back({"bitmap", "", make_filter(FilterKind::classic, options), true});
  all.push_back({"redisson", "&trust=bits", foreign("redisson")});
  all.push_back({"orestes", "&trust=bits", foreign("orestes")});
  all.push_back({"gozero", "&bits=60000&trailer=1", foreign("gozero", {{"bits", "60000"}}), true});
  return all;
}

// The location of the filter `f` in the server; `more` are settings, too.
inline PlaceLocation location_in(const testing::RedisServer& server, const LiveLayout& layout,
                                 const std::string& more = "") {
  return parse_place_location(layout.format + ":redis+unix://" + server.socket() +
                              "?timeout=20000" + layout.settings + more + "#f");
}

}  // namespace bloomery
