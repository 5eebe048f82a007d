#pragma once

#include <functional>
#include <utility>

namespace bloomery {

// Held by who inserts rows, from before they are visible until after the commit (or the rollback);
// see CacheGuard::will_insert(). The guard outlives it.
class [[nodiscard]] InsertToken {
 public:
  // `end` may throw, and is then called again by the next release(); `give_up`, which does not, is
  // called once when the token goes without having ended.
  InsertToken(std::function<void()> end, std::function<void()> give_up)
      : end_(std::move(end)), give_up_(std::move(give_up)) {}
  InsertToken(InsertToken&& other) noexcept
      : end_(std::exchange(other.end_, nullptr)), give_up_(std::move(other.give_up_)) {}
  InsertToken& operator=(InsertToken&&) = delete;

  // Cannot throw: a cache that fails here is only counted, and a negative entry that it holds may
  // live until its expiry. release() tells.
  ~InsertToken();

  // Ends it now. Throws what the cache throws: then it has not ended, and may be tried again.
  void release();

 private:
  std::function<void()> end_;
  std::function<void()> give_up_;
};

}  // namespace bloomery
