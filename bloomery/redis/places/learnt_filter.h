// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "bloomery/bits/fork_mutex.h"
#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/places/item_description.h"
#include "bloomery/text/key_form.h"

namespace bloomery::redis {

// The description that a place has learnt of the filter in its server, which may go and be followed
// by another one. Many threads may use one LearntFilter.
class LearntFilter {
 public:
  // `name` is the place's; `first` what was there when it was opened.
  LearntFilter(std::string name, bool may_forget, const std::optional<ItemDescription>& first);

  // Returns what was learnt since the filter was lost last, if anything was.
  std::optional<ItemDescription> now() const;

  // Notes that the filter is not there any more.
  void lose();
  std::uint64_t losses() const;

  // Reads the reply to a BLOOM.INFO that was asked after `losses` losses, and returns what it says.
  // The description is kept only if no loss has come since. Throws as describe_items() does.
  std::optional<ItemDescription> learn(const Reply& info, std::uint64_t losses);

  // Why a filter like this denies nothing and takes nothing; empty: it does both.
  std::string objection(const ItemDescription& filter) const;

 private:
  const std::string name_;
  const bool may_forget_;

  mutable ForkMutex mutex_;
  std::optional<ItemDescription> now_;
  std::optional<KeyForm> form_{};  // of the first filter's keys, which no loss changes
  std::uint64_t losses_ = 0;
};

}  // namespace bloomery::redis
