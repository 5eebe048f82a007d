#include "bloomery/place/loaded_place.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "bloomery/place/filter_answers.h"

namespace bloomery {

LoadedPlace::LoadedPlace(std::string name, AnyFilter filter)
    : name_(std::move(name)), loaded_(std::move(filter)) {}

LoadedPlace::LoadedPlace(const FileLocation& location) : name_(location.text()) {
  editor_.emplace(location);
}

void LoadedPlace::presence_of_many(std::span<const Key> keys, std::span<Presence> answers,
                                   const CallContext& context) {
  const std::shared_lock lock(mutex_);
  answer_from(filter(), keys, answers, context);
}

void LoadedPlace::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                              const CallContext&) {
  if (!editor_) refuse("is open for reading only");
  const std::lock_guard lock(mutex_);
  std::array<bool, 256> was_new;
  for (std::size_t start = 0; start < keys.size(); start += was_new.size()) {
    const std::size_t count = std::min(was_new.size(), keys.size() - start);
    editor_->filter().insert_many(keys.subspan(start, count), std::span(was_new).first(count));
    for (std::size_t i = 0; i < count && start + i < outcomes.size(); ++i) {
      outcomes[start + i] = was_new[i] ? Inserted::added : Inserted::present;
    }
  }
}

void LoadedPlace::flush(const CallContext&) {
  const std::lock_guard lock(mutex_);
  if (editor_) editor_->commit();
}

PlaceHead LoadedPlace::head(const CallContext&) {
  const std::shared_lock lock(mutex_);
  const bool is_empty = filter().inserted() == 0 && filter().cardinality() == 0;
  return {
      .parameters = filter().parameters(), .inserted = filter().inserted(), .is_empty = is_empty};
}

}  // namespace bloomery
