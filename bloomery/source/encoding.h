// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "bloomery/source/decoder.h"

namespace bloomery {

// The encoding of a file, as its first bytes say.
enum class Encoded { plain, gzip, zstd, xz, utf16_little, utf16_big };

// The number of first bytes that tell the encoding.
inline constexpr std::size_t kEncodedBytes = 6;

// Returns the encoding of a file whose first bytes `begin` are, kEncodedBytes of them or all.
Encoded encoded_as(std::string_view begin) noexcept;
// Returns whether more bytes could still make it anything but plain.
bool may_be_encoded(std::string_view begin) noexcept;

// Makes a decoder for what encoded_as() said; null where that is plain. It decodes what it finds
// inside as well, such as UTF-16 within gzip. `name` is what messages call the stream; `begin` are
// bytes that were already read of it. Throws std::bad_alloc.
std::unique_ptr<Decoder> make_decoder(Encoded as, const std::string& name,
                                      std::string_view begin = {});

}  // namespace bloomery
