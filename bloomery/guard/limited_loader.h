#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/guard/guard_counters.h"
#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/loader.h"
#include "bloomery/guard/query_limit.h"

namespace bloomery {

// A loader that is counted, whose answers are checked, and whose unguarded queries take turns.
// Borrows the counters. All calls may run together.
template <class Value>
class LimitedLoader {
 public:
  // Throws std::invalid_argument when there is no loader.
  LimitedLoader(Loader<Value> loader, CounterBoard& counters, const GuardOptions& options)
      : loader_(std::move(loader)),
        counters_(counters),
        limit_(options.unguarded_queries, options.unguarded_wait) {
    if (!loader_) throw std::invalid_argument("guard: no loader was given");
  }

  // One answer a key. `unguarded` when neither filter nor cache could shield the database. Throws
  // what the loader throws, LoaderError, or GuardOverloaded.
  std::vector<std::optional<Value>> load(std::span<const Key> keys, bool unguarded) {
    std::optional<QueryLimit::Slot> slot;
    if (unguarded) slot.emplace(limit_.enter());
    counters_.add(&GuardCounters::database_queries);
    counters_.add(&GuardCounters::keys_loaded, keys.size());
    try {
      return checked(loader_(keys), keys.size());
    } catch (...) {
      counters_.add(&GuardCounters::loader_errors);
      throw;
    }
  }

 private:
  static std::vector<std::optional<Value>> checked(std::vector<std::optional<Value>> answers,
                                                   std::size_t key_count) {
    if (answers.size() == key_count) return answers;
    throw LoaderError("guard: the loader gave " + std::to_string(answers.size()) + " answers for " +
                      std::to_string(key_count) + " keys; one a key is needed");
  }

  Loader<Value> loader_;
  CounterBoard& counters_;
  QueryLimit limit_;
};

}  // namespace bloomery
