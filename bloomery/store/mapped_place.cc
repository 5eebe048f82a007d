// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/mapped_place.h"

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/store/filter_answers.h"

namespace bloomery {

MappedPlace::MappedPlace(const FileLocation& location, bool writes, bool keys_as_said)
    : location_(location),
      writes_(writes),
      mapped_(location.path, {.access = writes ? MapOptions::read_write : MapOptions::read_only}) {
  if (keys_as_said) mapped_.take_keys_as_said();
}

void MappedPlace::ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                      const CallContext& context) {
  require_room(keys, answers);
  require_fence(context);
  const std::optional<Watermark> now = mapped_.notes().reached();
  proofs.add({.filter = numbers_.of_the_only_one(), .watermark = now});
  answer_from(mapped_.filter(), now, keys, answers, context);
}

void MappedPlace::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                              const CallContext&) {
  require_room(keys, outcomes);
  if (!writes_) refuse("is open for reading only");
  AnyFilter& filter = mapped_.writable();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_new = filter.insert_concurrently(keys[i]);
    if (i < outcomes.size()) outcomes[i] = is_new ? Inserted::added : Inserted::present;
  }
}

void MappedPlace::flush(const CallContext&) {
  if (writes_) mapped_.flush();
}

AnyFilter MappedPlace::copy(const CallContext& context) {
  require_fence(context);
  if (!has_come_to(mapped_.notes().reached(), context)) {
    refuse("has not come to the fence, and is not copied");
  }
  AnyFilter copied = copy_any(mapped_.filter().contents());
  // Damage is looked for after all of it was read.
  if (mapped_.is_damaged()) {
    throw StoreError(name() + ": was truncated or written over by others while it was mapped");
  }
  return copied;
}

PlaceHead MappedPlace::head(const CallContext&) {
  return head_of(mapped_.filter(), mapped_.notes());
}

}  // namespace bloomery
