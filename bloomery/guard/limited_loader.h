// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/loader.h"
#include "bloomery/guard/query_limit.h"
#include "bloomery/place/guard_counters.h"

namespace bloomery {

// A loader that is counted, whose answers are checked, and whose queries take turns. Borrows the
// counters. All calls may run together.
template <class Value>
class LimitedLoader {
 public:
  using Rows = std::vector<std::optional<Value>>;

  // Throws std::invalid_argument when there is no loader.
  LimitedLoader(Loader<Value> loader, CounterBoard& counters, const GuardOptions& options)
      : loader_(std::move(loader)),
        counters_(counters),
        limit_(options.queries_at_once, options.query_wait) {
    if (!loader_) throw std::invalid_argument("guard: no loader was given");
  }

  // One answer a key. Throws what the loader throws, LoaderError, GuardOverloaded, or CallAborted.
  Rows load(std::span<const Key> keys, const CallContext& context) {
    const QueryLimit::Slot slot = limit_.enter(context);
    return query(keys, context);
  }

  // Loads as load() does if nobody has to wait for it: nothing where all places are taken, or it
  // fails.
  std::optional<Rows> try_load(std::span<const Key> keys, const CallContext& context) noexcept {
    try {
      const std::optional<QueryLimit::Slot> slot = limit_.try_enter();
      if (slot) return query(keys, context);
    } catch (...) {  // counted
    }
    return std::nullopt;
  }

 private:
  Rows query(std::span<const Key> keys, const CallContext& context) {
    counters_.add(&GuardCounters::database_queries);
    counters_.add(&GuardCounters::keys_loaded, keys.size());
    try {
      return checked(loader_(keys, context), keys.size());
    } catch (...) {
      counters_.add(&GuardCounters::loader_errors);
      throw;
    }
  }

  static Rows checked(Rows answers, std::size_t key_count) {
    if (answers.size() == key_count) return answers;
    throw LoaderError("guard: the loader gave " + std::to_string(answers.size()) + " answers for " +
                      std::to_string(key_count) + " keys; one a key is needed");
  }

  Loader<Value> loader_;
  CounterBoard& counters_;
  QueryLimit limit_;
};

}  // namespace bloomery
