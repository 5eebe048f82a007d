#pragma once

#include <span>

#include "bloomery/filter/presence.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// The filter as the guard sees it: it holds the keys that exist, here or on a server, and says what
// it can. All calls may run together. An exception is taken for `unknown`.
//
// FilterPresence makes one of a filter in memory.
class PresenceFilter {
 public:
  virtual ~PresenceFilter() = default;

  // answers[i] is about keys[i]; both are of one length. `absent` keeps a request from the
  // database, so it is for a filter that is complete and current; all else is maybe or unknown.
  virtual void presence_of_many(std::span<const Key> keys, std::span<Presence> answers) = 0;

  // One key. Override where that is cheaper than a batch of one.
  virtual Presence presence_of(Key key) {
    Presence answer = Presence::unknown;
    presence_of_many({&key, 1}, {&answer, 1});
    return answer;
  }

  // When it returns, the key is never `absent` again. Throws where that cannot be promised.
  virtual void insert(Key key) = 0;
};

}  // namespace bloomery
