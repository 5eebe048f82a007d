// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/loaded_place.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "bloomery/format/kinds.h"
#include "bloomery/store/filter_answers.h"

namespace bloomery {

LoadedPlace::LoadedPlace(std::string name, AnyFilter filter)
    : name_(std::move(name)), has_notes_(false), loaded_(std::move(filter)) {}

LoadedPlace::LoadedPlace(const FileLocation& location)
    : name_(location.text()), has_notes_(location.format == nullptr) {
  editor_.emplace(location);
}

void LoadedPlace::ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                      const CallContext& context) {
  require_room(keys, answers);
  require_fence(context);
  const std::shared_lock lock(mutex_);
  const std::optional<Watermark> now = reached();
  proofs.add({.filter = numbers_.of_the_only_one(), .watermark = now});
  answer_from(filter(), now, keys, answers, context);
}

void LoadedPlace::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                              const CallContext&) {
  require_room(keys, outcomes);
  if (!editor_) refuse("is open for reading only");
  const std::lock_guard lock(mutex_);
  insert(keys, outcomes);
}

void LoadedPlace::insert(std::span<const Key> keys, std::span<Inserted> outcomes) {
  std::array<bool, 256> was_new;
  for (std::size_t start = 0; start < keys.size(); start += was_new.size()) {
    const std::size_t count = std::min(was_new.size(), keys.size() - start);
    editor_->filter().insert_many(keys.subspan(start, count), std::span(was_new).first(count));
    for (std::size_t i = 0; i < count && start + i < outcomes.size(); ++i) {
      outcomes[start + i] = was_new[i] ? Inserted::added : Inserted::present;
    }
  }
}

std::optional<Watermark> LoadedPlace::reached() const {
  return editor_ ? editor_->notes().reached() : std::nullopt;
}

bool LoadedPlace::move(const PlaceHead& expected, const Watermark& next) {
  FileNotes& notes = editor_->notes();
  if (!notes.stand_at(expected.identity, expected.watermark, expected.beat)) return false;
  if (!notes.identity.is_set()) notes.identity = Identity::random();
  notes.step(next);
  return true;
}

bool LoadedPlace::insert_and_advance(std::span<const Key> keys, PlaceHead& head,
                                     const Watermark& next, const CallContext&) {
  if (!editor_ || !has_notes_) refuse("has no watermark");
  const std::lock_guard lock(mutex_);
  insert(keys, {});
  if (!move(head, next)) return false;
  head = head_now();
  return true;
}

void LoadedPlace::flush(const CallContext&) {
  const std::lock_guard lock(mutex_);
  if (editor_) editor_->commit();
}

PlaceHead LoadedPlace::head(const CallContext&) {
  const std::shared_lock lock(mutex_);
  return head_now();
}

bool LoadedPlace::is_there() {
  const std::shared_lock lock(mutex_);
  return editor_ && editor_->is_there();
}

AnyFilter LoadedPlace::copy(const CallContext& context) {
  require_fence(context);
  const std::shared_lock lock(mutex_);
  if (!has_come_to(reached(), context)) refuse("has not come to the fence, and is not copied");
  return copy_any(filter().contents());
}

PlaceHead LoadedPlace::head_now() const {
  PlaceHead head = head_of(filter(), editor_ ? editor_->notes() : FileNotes());
  head.is_empty = head.inserted == 0 && filter().cardinality() == 0;
  return head;
}

}  // namespace bloomery
