#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/call_context.h"

namespace bloomery {

// Sessions with a server, of which many threads use some at the same time. A Session says
// is_usable(): false once its connection is lost. All calls may run together.
template <class Session>
class SessionPool {
 public:
  // `name` is the server's, for messages; `size`: sessions at most.
  SessionPool(std::string name, std::size_t size) : name_(std::move(name)), size_(size) {}

  // What `question(session)` answers, by a session that is idle or that `open()` makes. One that
  // was lost while nobody used it is made anew. Throws what these throw, and CallAborted where the
  // caller's time is over before a session is free.
  auto ask(const CallContext& context, auto&& open, auto&& question) {
    while (true) {
      const Place place(*this, context);
      std::unique_ptr<Session> session = take_idle();
      const bool was_idle = session != nullptr;
      try {
        if (!was_idle) session = open();
        auto answer = question(*session);
        give_back(std::move(session));
        return answer;
      } catch (const StoreError&) {
        const bool was_lost = session != nullptr && !session->is_usable();
        if (session != nullptr && !was_lost) give_back(std::move(session));
        if (!was_idle || !was_lost) throw;
      }
    }
  }

 private:
  // One of the sessions that there may be.
  class Place {
   public:
    Place(SessionPool& pool, const CallContext& context) : pool_(pool) {
      std::unique_lock lock(pool_.mutex_);
      const auto is_free = [&] { return pool_.used_ < pool_.size_; };
      pool_.freed_.wait_until(lock, context.stop, context.deadline, is_free);
      if (!is_free()) {
        throw CallAborted(pool_.name_ +
                          ": the caller's time was over before a connection was free");
      }
      ++pool_.used_;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
      {
        const std::lock_guard lock(pool_.mutex_);
        --pool_.used_;
      }
      pool_.freed_.notify_one();
    }

   private:
    SessionPool& pool_;
  };

  std::unique_ptr<Session> take_idle() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    auto session = std::move(idle_.back());
    idle_.pop_back();
    return session;
  }

  void give_back(std::unique_ptr<Session> session) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(session));
  }

  const std::string name_;
  const std::size_t size_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Session>> idle_;
};

}  // namespace bloomery
