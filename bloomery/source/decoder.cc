// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/decoder.h"

#include <algorithm>

namespace bloomery {
namespace {

constexpr std::size_t kRoomBytes = 64 * 1024;

}  // namespace

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
