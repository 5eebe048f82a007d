// SPDX-License-Identifier: Apache-2.0
#include "cli/behind.h"

#include <chrono>

#include "bloomery/place/fenced_place.h"
#include "bloomery/source/open_changes.h"

namespace bloomery::cli {
namespace {

// A follower that looks for changes every 100 ms has come by then.
constexpr std::chrono::milliseconds kLongestWait{1000};

}  // namespace

Behind::Behind(const std::string& source, const ChangeOptions& options)
    : fence_([=] { return open_fence(source, options); }, {.name = "--behind"}) {
  open_fence(source, options)->ask();
}

std::unique_ptr<FilterPlace> Behind::in_front_of(FilterPlace& place) {
  return std::make_unique<FencedPlace>(
      place, [this](const CallContext& context) { return fence_.ask(context); },
      FencedOptions{.longest_wait = kLongestWait});
}

std::string Behind::why_unknown(FilterPlace& place) {
  const auto reached = place.head().watermark;
  if (!reached) return "it has no watermark; bloomery follow keeps one";
  const Watermark now = fence_.ask().at_least;
  if (reached->source != now.source) return "its watermark is of another database or table";
  if (reached->reaches(now)) return "it came up with its database too late; ask again";
  return "it is behind its database: at " + std::to_string(reached->position) + " of " +
         std::to_string(now.position) + "; does its follower run?";
}

}  // namespace bloomery::cli
