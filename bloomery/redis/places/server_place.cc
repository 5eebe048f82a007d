// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/server_place.h"

#include <algorithm>
#include <stdexcept>

#include "bloomery/errors.h"

namespace bloomery::redis {

void ServerDialect::refuse(std::string_view why) const {
  throw std::invalid_argument(name_ + ": " + std::string(why));
}

void ServerDialect::fail(std::string_view why) const {
  throw StoreError(name_ + ": " + std::string(why));
}

void ServerPlace::require_writing() const {
  if (!writes_) refuse("is open for reading only");
}

void ServerPlace::ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                      const CallContext& context) {
  require_room(keys, answers);
  require_fence(context);
  do {
    const std::size_t count = dialect_->ask(keys, answers, proofs, context);
    keys = keys.subspan(count);
    answers = answers.subspan(count);
  } while (!keys.empty());
}

void ServerPlace::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                              const CallContext& context) {
  require_room(keys, outcomes);
  require_writing();
  const InsertCall call = next_insert_call();
  while (!keys.empty()) {
    const std::size_t count = dialect_->insert(call, keys, outcomes, context);
    keys = keys.subspan(count);
    outcomes = outcomes.subspan(std::min(count, outcomes.size()));
  }
}

AnyFilter ServerPlace::copy(const CallContext& context) {
  require_fence(context);
  std::optional<AnyFilter> copied = dialect_->copy(context);
  return copied ? std::move(*copied) : FilterPlace::copy(context);
}

bool ServerPlace::insert_and_advance(std::span<const Key> keys, PlaceHead& head,
                                     const Watermark& next, const CallContext& context) {
  dialect_->require_watermark(context);
  require_writing();
  if (!next.source.is_set()) refuse("a watermark without a source says nothing");
  return dialect_->step(keys, head, next, context);
}

void ServerPlace::destroy(const CallContext&) {
  require_writing();
  dialect_->destroy();
}

}  // namespace bloomery::redis
