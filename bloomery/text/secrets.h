// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery {

// Bytes of a text.
struct TextPart {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Finds the secrets in a text that holds locations, or what was meant for one: what stands between
// the user and the @ of any scheme, and the values of settings behind a ?, unless the setting is
// one of those that are known to hold none. In order, without overlap.
std::vector<TextPart> secrets_in(std::string_view text);

// The text with *** for each. Every message that quotes what somebody has typed goes through it.
std::string without_secrets(std::string_view text);

}  // namespace bloomery
