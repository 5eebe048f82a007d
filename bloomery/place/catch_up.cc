// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/catch_up.h"

#include <chrono>
#include <exception>
#include <utility>

#include "bloomery/place/apply_hashes.h"

namespace bloomery {
namespace {

CaughtUp follow_chain(DeltaSource& source, DeltaSource::Kept kept, const CallContext& context) {
  const auto refuse = [&](const char* why) { return CaughtUp{.why_not = kept.name + ": " + why}; };
  if (kept.chain.empty()) return refuse("does not say where it stands among what came");
  auto position = source.resume(kept, context);
  if (!position) return refuse("is a copy of another filter, or of one before it was made anew");
  CaughtUp result;
  for (;;) {
    auto delta = source.since(*position, std::chrono::milliseconds(1), context);
    if (!delta) return refuse("the server does not have all that came since it was written");
    result.hashes += delta->hashes.size();
    result.added += apply_hashes(kept.filter, delta->hashes);
    position = delta->position;
    if (!delta->is_last) continue;
    if (delta->identity != kept.identity) return refuse("is a copy of another filter");
    result.whole.emplace(DeltaSource::Whole{.filter = std::move(kept.filter),
                                            .identity = kept.identity,
                                            .reached = delta->reached,
                                            .beat = kept.beat,
                                            .position = *position});
    return result;
  }
}

}  // namespace

CaughtUp catch_up(DeltaSource& source, DeltaSource::Kept kept, const CallContext& context) {
  const std::string name = kept.name;
  try {
    return follow_chain(source, std::move(kept), context);
  } catch (const CallAborted&) {
    throw;
  } catch (const std::exception& error) {
    return {.why_not = name + ": not used, as what came since was not read: " + error.what()};
  }
}

}  // namespace bloomery
