// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "bloomery/place/call_context.h"

namespace bloomery {

// Held by who inserts rows, from before they are visible until after the commit (or the rollback);
// see CacheGuard::will_insert(). The guard outlives it.
class [[nodiscard]] InsertToken {
 public:
  // Ends the token, within a context; without one (null) it waits for nobody. It may throw, and is
  // then called again by the next release().
  using End = std::function<void(const CallContext*)>;

  // Announces once more. Returns whether it had held until now.
  using Renew = std::function<bool(const CallContext&)>;

  // `give_up`, which does not throw, is called once when the token goes without having ended.
  InsertToken(End end, std::function<void()> give_up, Renew renew = nullptr)
      : end_(std::move(end)), give_up_(std::move(give_up)), renew_(std::move(renew)) {}
  InsertToken(InsertToken&& other) noexcept
      : end_(std::exchange(other.end_, nullptr)),
        give_up_(std::move(other.give_up_)),
        renew_(std::move(other.renew_)) {}
  InsertToken& operator=(InsertToken&&) = delete;

  // Cannot throw, and waits for nobody's write. A cache that fails here is only counted: the guard
  // asks the database then, but others who share the cache may find a negative entry in it until it
  // expires. release() tells.
  ~InsertToken();

  // Ends it now. Throws what the cache throws, and CallAborted when the context is over while
  // somebody writes one of the keys to the cache: then it has not ended, and may be tried again.
  void release(const CallContext& context = {});

  // Announces the same rows once more, just before the commit of a transaction that may outlast
  // what a cache between processes remembers of it (GuardVerbsOptions::mark_life). Returns whether
  // the announcement had held without a gap. Throws as will_insert() does: then roll back. Throws
  // std::logic_error where the token has ended.
  bool renew(const CallContext& context = {});

 private:
  End end_;
  std::function<void()> give_up_;
  Renew renew_;
};

}  // namespace bloomery
