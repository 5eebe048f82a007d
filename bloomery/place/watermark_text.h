// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bloomery/place/watermark.h"

// Identities and watermarks as users and servers read them.
namespace bloomery {

// 32 hexadecimal digits.
std::string identity_text(const Identity& identity);
// Reads an identity; nothing where the text is none.
std::optional<Identity> read_identity(std::string_view text) noexcept;

// SOURCE:POSITION; or "-", for none.
std::string watermark_text(const std::optional<Watermark>& watermark);

}  // namespace bloomery
