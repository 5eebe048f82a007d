// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/native/file_notes.h"
#include "bloomery/place/filter_place.h"

namespace bloomery {

// The head of a place whose filter is in a file of ours.
inline PlaceHead head_of(const AnyFilter& filter, const FileNotes& notes) {
  PlaceHead head{.identity = notes.identity,
                 .parameters = filter.parameters(),
                 .inserted = filter.inserted(),
                 .watermark = notes.reached(),
                 .beat = notes.beat};
  head.parameters.keys = filter.keys();
  return head;
}

// Returns whether all that the context asks for is in a filter whose watermark is `reached`, or
// none.
inline bool has_come_to(const std::optional<Watermark>& reached, const CallContext& context) {
  return context.fence == nullptr || (reached && reached->reaches(context.fence->at_least));
}

// Answers from a filter whose watermark is `reached`. If it has none, nothing is `absent` behind a
// fence. The watermark was read no later than the bits.
inline void answer_from(const AnyFilter& filter, const std::optional<Watermark>& reached,
                        std::span<const Key> keys, std::span<Presence> answers,
                        const CallContext& context) {
  const Presence no = has_come_to(reached, context) ? Presence::absent : Presence::unknown;
  std::array<bool, 256> found;
  for (std::size_t start = 0; start < keys.size(); start += found.size()) {
    const std::size_t count = std::min(found.size(), keys.size() - start);
    filter.may_contain_many(keys.subspan(start, count), std::span(found).first(count));
    std::transform(found.begin(), found.begin() + count, answers.begin() + start,
                   [no](bool each) { return each ? Presence::maybe : no; });
  }
}

}  // namespace bloomery
