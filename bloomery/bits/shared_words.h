// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "bloomery/bits/bit_storage.h"

namespace bloomery {

// Words of any storage, which lives as long as anybody has words of it: the layers of one file
// share what it was read into.
class SharedWords {
 public:
  template <BitStorage Storage>
  static SharedWords of(Storage storage) {
    const auto owner = std::make_shared<Storage>(std::move(storage));
    return {owner, owner->words()};
  }

  SharedWords part(std::uint64_t first, std::uint64_t count) const noexcept {
    return {owner_, words_.subspan(first, count)};
  }

  std::span<std::uint64_t> words() noexcept { return words_; }
  std::span<const std::uint64_t> words() const noexcept { return words_; }

 private:
  SharedWords(std::shared_ptr<void> owner, std::span<std::uint64_t> words) noexcept
      : owner_(std::move(owner)), words_(words) {}

  std::shared_ptr<void> owner_;
  std::span<std::uint64_t> words_;
};

static_assert(BitStorage<SharedWords>);

}  // namespace bloomery
