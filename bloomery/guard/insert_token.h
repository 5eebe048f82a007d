#pragma once

#include <functional>
#include <utility>

namespace bloomery {

// Held by who inserts a row, from before the row is visible until after the commit (or the
// rollback); see CacheGuard::will_insert(). The guard outlives it.
class [[nodiscard]] InsertToken {
 public:
  explicit InsertToken(std::function<void()> end) : end_(std::move(end)) {}
  InsertToken(InsertToken&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  InsertToken& operator=(InsertToken&&) = delete;

  // Cannot throw: a cache that fails here is only counted, and a negative entry it holds may live
  // until its expiry. release() tells.
  ~InsertToken();

  // Ends it now. Throws what the cache throws.
  void release();

 private:
  std::function<void()> end_;
};

}  // namespace bloomery
