// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/learnt_filter.h"

#include <utility>

namespace bloomery::redis {

LearntFilter::LearntFilter(std::string name, bool may_forget,
                           const std::optional<ItemDescription>& first)
    : name_(std::move(name)), may_forget_(may_forget), now_(first) {
  if (first) form_ = first->keys;
}

std::optional<ItemDescription> LearntFilter::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void LearntFilter::lose() {
  const std::lock_guard lock(mutex_);
  now_.reset();
  ++losses_;
}

std::uint64_t LearntFilter::losses() const {
  const std::lock_guard lock(mutex_);
  return losses_;
}

std::optional<ItemDescription> LearntFilter::learn(const Reply& info, std::uint64_t losses) {
  auto what = describe_items(info, name_);
  const std::lock_guard lock(mutex_);
  if (what && !form_) form_ = what->keys;
  if (losses_ == losses) now_ = what;
  return what;
}

std::string LearntFilter::objection(const ItemDescription& filter) const {
  if (filter.forgets && !may_forget_) return "a filter that forgets keys has taken its place";
  const std::lock_guard lock(mutex_);
  if (!form_ || goes_on_with(*form_, filter.keys)) return {};
  return "a filter whose keys are written as " + form_text(filter.keys) +
         " has taken the place of one with " + form_text(*form_) + "; open it again";
}

}  // namespace bloomery::redis
