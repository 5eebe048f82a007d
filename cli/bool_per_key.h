// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace bloomery::cli {

// Room for one answer a key, used again for each batch.
class BoolPerKey {
 public:
  std::span<bool> room_for(std::size_t count) {
    if (count > room_) {
      answers_ = std::make_unique<bool[]>(count);
      room_ = count;
    }
    return {answers_.get(), count};
  }

 private:
  std::size_t room_ = 0;
  std::unique_ptr<bool[]> answers_;
};

}  // namespace bloomery::cli
