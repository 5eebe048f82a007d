// SPDX-License-Identifier: Apache-2.0
#include "module/names.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "module/settings.h"

namespace bloomery::module {
namespace {

constexpr std::size_t kMostLetters = 20;

char lower(char letter) noexcept {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool is_of_a_name(char letter) noexcept {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-' ||
         letter == '_';
}

}  // namespace

Names take_names(std::vector<std::string_view>& words) {
  Names names;
  for (std::size_t i = 0; i + 1 < words.size();) {
    if (!same_word(words[i], "prefix")) {
      i += 2;
      continue;
    }
    names.prefix.assign(words[i + 1]);
    std::ranges::transform(names.prefix, names.prefix.begin(), lower);
    if (names.prefix.empty() || names.prefix.size() > kMostLetters ||
        !std::ranges::all_of(names.prefix, is_of_a_name)) {
      throw std::invalid_argument("The prefix `" + names.prefix +
                                  "` must be 1 to 20 letters, digits, - or _");
    }
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.erase(at, at + 2);
  }
  return names;
}

}  // namespace bloomery::module
