// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/filter_stepper.h"

namespace bloomery {
namespace {

constexpr int kMostSteps = 10;

bool reaches(const std::optional<Watermark>& there, const Watermark& wanted) {
  return there && there->reaches(wanted);
}

}  // namespace

void FilterStepper::begin(const CallContext& context) {
  has_loose_ = false;
  head_ = place_.head(context);
  carried_ = head_.watermark;
}

bool FilterStepper::begin_new(const Watermark& reached, bool has_open, bool keeps_watermark,
                              const CallContext& context) {
  has_watermark_ = keeps_watermark;
  head_ = place_.head(context);
  has_loose_ = has_open;
  carried_ = reached;
  if (has_watermark_ && !reaches(head_.watermark, reached)) return false;
  // Others' files are written by flush().
  is_dirty_ = true;
  return true;
}

bool FilterStepper::carry(const Changes& changes, const CallContext& context) {
  if (has_watermark_) return step(changes, context);
  if (!changes.keys.empty()) place_.insert_many(changes.keys, context);
  is_dirty_ = is_dirty_ || !changes.keys.empty() || changes.watermark != passed_;
  if (changes.watermark) passed_ = changes.watermark;
  return true;
}

bool FilterStepper::step(const Changes& changes, const CallContext& context) {
  if (!head_.watermark) throw Overtaken(place_.name() + ": its watermark is gone");
  // Changes that end no transaction step the head, too: by that step a filter is told from an older
  // copy of itself that was put in its place meanwhile.
  const Watermark next = changes.watermark.value_or(*head_.watermark);
  if (!changes.watermark && changes.keys.empty()) return true;
  for (int i = 0; i < kMostSteps; ++i) {
    // Nothing new; or another follower was there before us. The keys go in all the same: some may
    // be of a transaction that has not ended, above the watermark that they came with.
    const bool is_in = changes.watermark && reaches(head_.watermark, next);
    const Watermark to = is_in ? *head_.watermark : next;
    const bool has_none = is_in && changes.keys.empty();
    if (has_none || place_.insert_and_advance(changes.keys, head_, to, context)) {
      is_dirty_ = is_dirty_ || !has_none || carried_ != next;  // that, too, is to be confirmed
      has_loose_ = !changes.watermark || changes.has_open;
      if (changes.watermark) carried_ = next;
      return i == 0;
    }
    is_dirty_ = true;
    head_ = place_.head(context);
    // A step from another follower's watermark is as good, if that filter has all keys before
    // these.
    const bool has_all_before =
        !has_loose_ && changes.watermark && carried_ && reaches(head_.watermark, *carried_);
    if (!has_all_before) break;
  }
  throw Overtaken(place_.name() +
                  ": it is not the filter that it was; going on from its watermark");
}

bool FilterStepper::look(const CallContext& context) {
  const PlaceHead now = place_.head(context);
  if (now.identity == head_.identity && now.watermark == head_.watermark &&
      now.beat == head_.beat) {
    return true;
  }
  // A step or a filter of another follower is as good, if it has all keys that were carried.
  if (has_loose_ || !carried_ || !reaches(now.watermark, *carried_)) {
    throw Overtaken(place_.name() + ": it is not the filter that it was");
  }
  head_ = now;
  return false;
}

void FilterStepper::flush(const CallContext& context) {
  if (!is_dirty_) return;
  place_.flush(context);
  is_dirty_ = false;
}

}  // namespace bloomery
