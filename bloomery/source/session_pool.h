// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/per_process.h"
#include "bloomery/errors.h"
#include "bloomery/place/call_context.h"

namespace bloomery {

// Sessions with a server, of which many threads use some at the same time. A Session says
// is_usable(): false once its connection is lost. All calls may run together. A child of fork()
// has sessions of its own: on one with two processes, each would read what the other was answered.
template <class Session>
class SessionPool {
 public:
  // `name` is the server's, for messages; `size`: sessions at most.
  SessionPool(std::string name, std::size_t size) : name_(std::move(name)), size_(size) {}

  // Returns what `question(session)` answers in a session that is idle or that `open()` makes. A
  // session that was lost while nobody used it is made anew. Throws what these throw, and
  // CallAborted where the caller's time is over before a session is free.
  auto ask(const CallContext& context, auto&& open, auto&& question) {
    Kept& kept = kept_.get();
    while (true) {
      const Place place(*this, kept, context);
      std::unique_ptr<Session> session = take_idle(kept);
      const bool was_idle = session != nullptr;
      try {
        if (!was_idle) session = open();
        auto answer = question(*session);
        give_back(kept, std::move(session));
        return answer;
      } catch (const StoreError&) {
        const bool was_lost = session != nullptr && !session->is_usable();
        if (session != nullptr && !was_lost) give_back(kept, std::move(session));
        if (!was_idle || !was_lost) throw;
      }
    }
  }

 private:
  // The sessions of this process; a child of fork() has its own.
  struct Kept {
    std::mutex mutex{};
    std::condition_variable_any freed{};
    std::size_t used = 0;
    std::vector<std::unique_ptr<Session>> idle{};
  };

  // One of the sessions that there may be.
  class Place {
   public:
    Place(SessionPool& pool, Kept& kept, const CallContext& context) : kept_(kept) {
      std::unique_lock lock(kept.mutex);
      const auto is_free = [&] { return kept.used < pool.size_; };
      kept.freed.wait_until(lock, context.stop, context.deadline, is_free);
      if (!is_free()) {
        throw CallAborted(pool.name_ + ": the caller's time was over before a connection was free");
      }
      ++kept.used;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
      {
        const std::lock_guard lock(kept_.mutex);
        --kept_.used;
      }
      kept_.freed.notify_one();
    }

   private:
    Kept& kept_;
  };

  static std::unique_ptr<Session> take_idle(Kept& kept) {
    const std::lock_guard lock(kept.mutex);
    if (kept.idle.empty()) return nullptr;
    auto session = std::move(kept.idle.back());
    kept.idle.pop_back();
    return session;
  }

  static void give_back(Kept& kept, std::unique_ptr<Session> session) {
    const std::lock_guard lock(kept.mutex);
    kept.idle.push_back(std::move(session));
  }

  const std::string name_;
  const std::size_t size_;
  PerProcess<Kept> kept_;
};

}  // namespace bloomery
