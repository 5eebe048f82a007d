// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "bloomery/source/from_utf16.h"
#include "bloomery/source/gunzip.h"
#include "bloomery/source/unxz.h"
#include "bloomery/source/unzstd.h"

namespace bloomery {
namespace {

using namespace std::string_view_literals;

constexpr std::array kMagic{
    std::pair{kGzipMagic, Encoded::gzip},
    std::pair{"\x28\xb5\x2f\xfd"sv, Encoded::zstd},        // RFC 8878, 3.1.1
    std::pair{"\xfd\x37\x7a\x58\x5a\x00"sv, Encoded::xz},  // .xz file format, 2.1.1.1
    std::pair{"\xff\xfe"sv, Encoded::utf16_little},        // a byte order mark
    std::pair{"\xfe\xff"sv, Encoded::utf16_big},
};

constexpr std::size_t kRoomBytes = 64 * 1024;

}  // namespace

Encoded encoded_as(std::string_view begin) noexcept {
  if (begin.starts_with("\xff\xfe\0\0"sv)) return Encoded::plain;  // UTF-32: not_a_text.h
  const auto found =
      std::ranges::find_if(kMagic, [&](const auto& each) { return begin.starts_with(each.first); });
  return found == kMagic.end() ? Encoded::plain : found->second;
}

bool may_be_encoded(std::string_view begin) noexcept {
  return std::ranges::any_of(kMagic,
                             [&](const auto& each) { return each.first.starts_with(begin); });
}

std::unique_ptr<Decoder> make_decoder(Encoded as, const std::string& name, std::string_view begin) {
  switch (as) {
    case Encoded::plain:
      return nullptr;
    case Encoded::gzip:
      return std::make_unique<Gunzip>(name, begin);
    case Encoded::zstd:
      return std::make_unique<Unzstd>(name, begin);
    case Encoded::xz:
      return std::make_unique<Unxz>(name, begin);
    case Encoded::utf16_little:
    case Encoded::utf16_big:
      return std::make_unique<FromUtf16>(name, begin, as == Encoded::utf16_big);
  }
  return nullptr;
}

EncodedBytes::EncodedBytes(std::string_view begin)
    : room_(std::max(kRoomBytes, begin.size())), size_(begin.size()) {
  std::ranges::copy(begin, room_.begin());
}

bool EncodedBytes::refill(const Decoder::Read& read) {
  if (size() != 0) return true;
  at_ = 0;
  size_ = read(room_.data(), room_.size());
  return size_ != 0;
}

}  // namespace bloomery
