// SPDX-License-Identifier: Apache-2.0
// LocalCopy: a first copy that was kept in a file.
#include <exception>
#include <optional>
#include <utility>

#include "bloomery/place/catch_up.h"
#include "bloomery/place/local_copy.h"

namespace bloomery {

std::string LocalCopy::why_whole() const {
  if (!is_ours()) return {};
  const std::lock_guard lock(mutex_);
  return why_whole_;
}

void LocalCopy::tell_why_whole(std::string why) {
  const std::lock_guard lock(mutex_);
  why_whole_ = std::move(why);
}

void LocalCopy::keep_what_comes_meanwhile() {
  const std::lock_guard lock(mutex_);
  is_reading_ = true;
}

// Makes the kept copy the first one. Returns why not; empty if it did. What it lacks comes before
// anybody finds it, so it is as good as one that was read whole and went on since. A place that is
// away leaves it for later.
std::string LocalCopy::begin_with_kept(const CallContext& context) {
  keep_what_comes_meanwhile();
  const KeyForm keys = options_.keys.value_or(place_.head(context).parameters.keys);
  may_begin_with_kept_ = false;
  std::optional<DeltaSource::Kept> kept;
  try {
    kept.emplace(options_.kept(options_.most_bytes));
  } catch (const std::exception& error) {
    return error.what();
  }
  if (!goes_on_with(keys, kept->filter.parameters().keys)) {
    return kept->name + ": its keys are " + form_text(kept->filter.parameters().keys) +
           ", and those of the filter " + form_text(keys);
  }
  CaughtUp caught = catch_up(*options_.deltas, std::move(*kept), context);
  if (!caught.whole) return caught.why_not;
  keys_ = keys;
  hashes_.fetch_add(caught.hashes, std::memory_order_relaxed);
  publish(std::move(*caught.whole), context);
  return {};
}

}  // namespace bloomery
