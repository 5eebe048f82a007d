// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/shared_place.h"

#include <algorithm>
#include <array>

#include "bloomery/store/filter_answers.h"

namespace bloomery {

SharedPlace::SharedPlace(const FileLocation& location, bool writes, bool keys_as_said)
    : location_(location),
      writes_(writes),
      shared_(location.path,
              {.access = writes ? SharedOptions::read_write : SharedOptions::read_only}) {
  if (keys_as_said) shared_.filter().take_keys_as_said();
}

// Bits are only ever set, so keys up to a watermark that was read before them are in.
void SharedPlace::ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                      const CallContext& context) {
  require_room(keys, answers);
  require_fence(context);
  const std::optional<Watermark> now = shared_.reached();
  proofs.add({.filter = numbers_.of_the_only_one(), .watermark = now});
  answer_from(shared_.filter(), now, keys, answers, context);
}

void SharedPlace::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                              const CallContext&) {
  require_room(keys, outcomes);
  if (!writes_) refuse("is open for reading only");
  std::array<bool, 256> was_new;
  for (std::size_t start = 0; start < keys.size(); start += was_new.size()) {
    const std::size_t count = std::min(was_new.size(), keys.size() - start);
    shared_.insert_many(keys.subspan(start, count), std::span(was_new).first(count));
    for (std::size_t i = 0; i < count && start + i < outcomes.size(); ++i) {
      outcomes[start + i] = was_new[i] ? Inserted::added : Inserted::present;
    }
  }
}

void SharedPlace::flush(const CallContext&) {
  if (writes_) shared_.flush();
}

PlaceHead SharedPlace::head(const CallContext&) {
  return head_of(shared_.filter(), shared_.notes());
}

AnyFilter SharedPlace::copy(const CallContext& context) {
  require_fence(context);
  if (!has_come_to(shared_.reached(), context)) {
    refuse("has not come to the fence, and is not copied");
  }
  return shared_.copy();
}

}  // namespace bloomery
