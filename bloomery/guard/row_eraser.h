// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "bloomery/guard/fail_open_cache.h"
#include "bloomery/guard/hashed_key.h"
#include "bloomery/guard/row_flights.h"
#include "bloomery/place/call_context.h"

namespace bloomery {

// Takes away what is known of keys whose rows have come, changed or gone: in the air and in the
// cache. Borrows both. All calls may run together.
template <class Value>
class RowEraser {
 public:
  RowEraser(RowFlights<Value>& flights, FailOpenCache<Value>& cache) noexcept
      : flights_(flights), cache_(cache) {}

  // Erases: nobody gets what was read before the call once it has returned. Waits for those who are
  // writing an old answer to the cache; without a context it does not. Throws CallAborted where it
  // may not wait any longer, and what the cache throws. Then the entries may be there still: the
  // cache is not believed for these keys until somebody has erased them.
  // `insert`: the one that has ended; null: rows were changed or deleted.
  void erase(std::span<const Key> keys, const Identity* insert, const CallContext* context) {
    const DistrustedKeys::Moment moment = cache_.distrusted().now();
    const Detached detached(flights_, keys);
    try {
      for (const HashedKey& key : detached.keys) wait_for_late_writes(key, context);
      cache_.erase_many(keys, insert, context != nullptr ? *context : kNoContext);
    } catch (...) {
      cache_.distrusted().add(keys);
      throw;
    }
    cache_.distrusted().remove(keys, moment);
  }

 private:
  // Before: what is under way is neither shared any more nor written back. After, also when erasing
  // fails: nor is what began meanwhile and read the old entry.
  struct Detached {
    Detached(RowFlights<Value>& f, std::span<const Key> all) : flights(f) {
      for (const Key key : all) keys.push_back(hashed(key));
      detach();
    }
    Detached(const Detached&) = delete;
    Detached& operator=(const Detached&) = delete;
    ~Detached() { detach(); }
    void detach() noexcept {
      for (const HashedKey& key : keys) flights.detach(key);
    }

    RowFlights<Value>& flights;
    std::vector<HashedKey> keys;
  };

  void wait_for_late_writes(HashedKey key, const CallContext* context) {
    if (context != nullptr ? flights_.wait_for_late_writes(key, *context)
                           : !flights_.is_written_late(key)) {
      return;
    }
    throw CallAborted(
        "guard: the call was over while another one still wrote an old answer to the cache; until "
        "its row is erased the key is looked up in the database");
  }

  RowFlights<Value>& flights_;
  FailOpenCache<Value>& cache_;
};

}  // namespace bloomery
