// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/encoding.h"

#include <algorithm>
#include <array>
#include <utility>

#include "bloomery/errors.h"
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

// Encoded texts within each other; more of them are a trap, not a text.
constexpr int kMostLayers = 4;

// Frames that zstd skips, which some of its programs begin with (RFC 8878, 3.1.2).
constexpr std::string_view kSkippedRest = "\x2a\x4d\x18";
bool may_be_skipped(char first) noexcept {
  return (static_cast<unsigned char>(first) & 0xf0) == 0x50;
}

std::unique_ptr<Decoder> make_layer(Encoded as, const std::string& name, std::string_view begin,
                                    int layer);

// Decodes what another decoder gives, if its first bytes are those of an encoding.
class LayeredDecoder final : public Decoder {
 public:
  LayeredDecoder(std::unique_ptr<Decoder> outer, std::string name, int layer)
      : outer_(std::move(outer)), name_(std::move(name)), layer_(layer) {}

  std::size_t read(char* out, std::size_t byte_count, const Read& read) override {
    if (!std::exchange(is_begun_, true)) look_inside(read);
    if (inner_ != nullptr) {
      return inner_->read(out, byte_count, [&](char* room, std::size_t room_bytes) {
        return outer_->read(room, room_bytes, read);
      });
    }
    if (ahead_.empty()) return outer_->read(out, byte_count, read);
    const std::size_t count = ahead_.copy(out, byte_count);
    ahead_.erase(0, count);
    return count;
  }

 private:
  void look_inside(const Read& read) {
    char room[kEncodedBytes];
    while (ahead_.size() < kEncodedBytes && may_be_encoded(ahead_)) {
      const std::size_t got = outer_->read(room, kEncodedBytes - ahead_.size(), read);
      if (got == 0) break;
      ahead_.append(room, got);
    }
    inner_ = make_layer(encoded_as(ahead_), name_, ahead_, layer_ + 1);
    if (inner_ != nullptr) ahead_.clear();
  }

  std::unique_ptr<Decoder> outer_;
  std::unique_ptr<Decoder> inner_;
  std::string name_;
  std::string ahead_;  // decoded, and not handed out
  int layer_;
  bool is_begun_ = false;
};

std::unique_ptr<Decoder> make_one(Encoded as, const std::string& name, std::string_view begin) {
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

std::unique_ptr<Decoder> make_layer(Encoded as, const std::string& name, std::string_view begin,
                                    int layer) {
  std::unique_ptr<Decoder> one = make_one(as, name, begin);
  const bool is_text = as == Encoded::utf16_little || as == Encoded::utf16_big;
  if (one == nullptr || is_text) return one;
  if (layer > kMostLayers) {
    throw StoreError(name + ": is compressed more than " + std::to_string(kMostLayers) +
                     " times over; unpack it first");
  }
  return std::make_unique<LayeredDecoder>(std::move(one), name, layer);
}

}  // namespace

Encoded encoded_as(std::string_view begin) noexcept {
  if (begin.starts_with("\xff\xfe\0\0"sv)) return Encoded::plain;  // UTF-32: not_a_text.h
  if (!begin.empty() && may_be_skipped(begin[0]) && begin.substr(1).starts_with(kSkippedRest)) {
    return Encoded::zstd;
  }
  const auto found =
      std::ranges::find_if(kMagic, [&](const auto& each) { return begin.starts_with(each.first); });
  return found == kMagic.end() ? Encoded::plain : found->second;
}

bool may_be_encoded(std::string_view begin) noexcept {
  if (!begin.empty() && may_be_skipped(begin[0]) && kSkippedRest.starts_with(begin.substr(1))) {
    return true;
  }
  return std::ranges::any_of(kMagic,
                             [&](const auto& each) { return each.first.starts_with(begin); });
}

std::unique_ptr<Decoder> make_decoder(Encoded as, const std::string& name, std::string_view begin) {
  return make_layer(as, name, begin, 1);
}

}  // namespace bloomery
