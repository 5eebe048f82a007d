// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "bloomery/hash/native_hash.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

// A watermark's source, made of all that must stay as it is: other parts, another identity.
inline Identity identity_of(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) {
    all += std::to_string(part.size()) + ":";
    all += part;
  }
  const HashPair hash = NativeHash()(Key(all));
  return {hash.h1 | 1, hash.h2};
}

}  // namespace bloomery
