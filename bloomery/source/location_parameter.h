// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace bloomery {

// One name=value of what stands behind the ? of a location.
struct LocationParameter {
  std::string_view text;  // both
  std::string_view name;
  std::string_view value;
  bool is_plain = false;  // the value has no %XX: a query with a blank in it, taken as it is
};

// Takes the first of them from `rest`, which is not empty. A query is all that follows.
inline LocationParameter take_parameter(std::string_view& rest) {
  constexpr std::string_view kQuery = "query=";
  const bool is_query = rest.starts_with(kQuery);
  const std::string_view text = is_query ? rest : rest.substr(0, rest.find('&'));
  rest.remove_prefix(std::min(rest.size(), text.size() + 1));
  const std::size_t equals = text.find('=');
  LocationParameter taken{.text = text, .name = text.substr(0, equals), .value = {}};
  if (equals != std::string_view::npos) taken.value = text.substr(equals + 1);
  taken.is_plain = is_query && taken.value.find_first_of(" \t\n") != std::string_view::npos;
  return taken;
}

}  // namespace bloomery
