// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bloomery::module {

// The names by which the server knows the module and its parts: RedisBloom's, or, to live beside
// RedisBloom, names under a prefix. With a prefix, commands are `PREFIX.BF.ADD` and so on, and the
// types of values have names of their own, since those in a dump say which module is to load them.
struct Names {
  std::string prefix{};

  std::string module() const { return prefix.empty() ? "bf" : prefix; }
  std::string command(const char* name) const {
    return prefix.empty() ? name : prefix + "." + name;
  }
  const char* type(const char* usual, const char* beside) const noexcept {
    return prefix.empty() ? usual : beside;
  }
};

// Takes `prefix` and a word, if they are a pair of these, which are pairs. Throws
// std::invalid_argument for a prefix that no name can begin with.
Names take_names(std::vector<std::string_view>& words);

}  // namespace bloomery::module
