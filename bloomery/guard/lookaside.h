// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "bloomery/guard/cache.h"
#include "bloomery/place/presence.h"

namespace bloomery {

// The answers of filter and cache about a key that both were asked about together. The answer of
// one that could not be asked is unknown.
template <CacheValue Value>
struct LookAsideAnswer {
  Presence presence = Presence::unknown;
  CacheAnswer<Value> cached{.state = Cached::unknown};
};

// Filter and cache where one trip can ask them both, as on one server: for a guard, which then asks
// the cache no more about what it has said. All calls may run together.
template <CacheValue Value>
class Lookaside {
 public:
  virtual ~Lookaside() = default;

  // answers[i] is about keys[i]; both are of one length, and the answers come in as unknown. Each
  // is of a moment within the call, and the cache was not asked before the filter. Throws what the
  // filter throws; what the cache throws leaves `cached` unknown. Without a fence.
  virtual void look_many(std::span<const Key> keys, std::span<LookAsideAnswer<Value>> answers,
                         const CallContext& context = {}) = 0;

  // One key. Override where that is cheaper than a batch of one.
  virtual LookAsideAnswer<Value> look(Key key, const CallContext& context = {}) {
    LookAsideAnswer<Value> answer;
    look_many({&key, 1}, {&answer, 1}, context);
    return answer;
  }
};

}  // namespace bloomery
