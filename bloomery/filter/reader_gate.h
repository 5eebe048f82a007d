#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

namespace bloomery {

// Lets one thread take away what others read without a lock: readers hold a pass while they read,
// and who has replaced the object waits for the passes from before. A pass costs two atomic
// additions on a line that few threads share.
class ReaderGate {
 public:
  class Pass {
   public:
    explicit Pass(std::atomic<std::size_t>& inside) noexcept : inside_(inside) {
      inside_.fetch_add(1, std::memory_order_seq_cst);
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() { inside_.fetch_sub(1, std::memory_order_release); }

   private:
    std::atomic<std::size_t>& inside_;
  };

  // Take the pass, then load the pointer (seq_cst), then read.
  [[nodiscard]] Pass enter() const noexcept {
    Stripe& stripe = stripes_[stripe_of_thread()];
    return Pass(stripe.inside[turn_.load(std::memory_order_relaxed)]);
  }

  // Store the new pointer (seq_cst), then call this: nobody reads the old one any more when it
  // returns. Never while holding a pass.
  void wait_for_readers() noexcept;

 private:
  static constexpr std::size_t kStripes = 16;

  // Readers enter by one of two doors, so that those who come while one is watched do not keep it
  // from becoming empty.
  struct alignas(64) Stripe {
    std::array<std::atomic<std::size_t>, 2> inside{};
  };

  static std::size_t stripe_of_thread() noexcept {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t stripe = next.fetch_add(1, std::memory_order_relaxed) % kStripes;
    return stripe;
  }

  void wait_until_empty(std::size_t door) const noexcept;

  mutable std::array<Stripe, kStripes> stripes_;
  std::atomic<std::size_t> turn_{0};
  std::mutex waiting_;
};

}  // namespace bloomery
