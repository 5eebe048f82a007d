// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/watermark_text.h"

#include "bloomery/text/hex_word.h"

namespace bloomery {

std::string identity_text(const Identity& identity) {
  return hex_word(identity.high) + hex_word(identity.low);
}

std::optional<Identity> read_identity(std::string_view text) noexcept {
  const auto high = read_hex_word(text.substr(0, kHexWordDigits));
  const auto low = high ? read_hex_word(text.substr(kHexWordDigits)) : std::nullopt;
  if (!low) return std::nullopt;
  return Identity{*high, *low};
}

std::string watermark_text(const std::optional<Watermark>& watermark) {
  if (!watermark) return "-";
  return identity_text(watermark->source) + ":" + std::to_string(watermark->position);
}

}  // namespace bloomery
