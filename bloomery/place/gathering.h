// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/per_process.h"
#include "bloomery/errors.h"
#include "bloomery/hash/key.h"
#include "bloomery/place/call_context.h"

namespace bloomery {

// How questions of one key are gathered.
struct GatheringLimits {
  std::string name{};                        // for messages
  std::string advice{};                      // behind what is said when `timeout` is over
  std::chrono::milliseconds timeout{5'000};  // of a whole call, with waiting for its trip
  std::size_t usual_trips = 1;               // at the same time
  std::size_t most_trips = 8;                // the same, where trips take longer than `patience`
  std::chrono::milliseconds patience{1};
  std::size_t most_keys = 1'000;  // of a trip
  std::size_t longest_key = 1'024;
};

// Questions that threads ask at the same moment travel together. Who comes while fewer than the
// usual trips are under way asks alone and at once, in its own thread. The others gather; when a
// trip ends, or has taken so long that one of them lost its patience, one thread sends what has
// gathered, for all. Many threads may use it.
//
// - A question is only in a trip that began after it came, so that its answer is of a moment
//   within its call: what its thread inserted before is in.
// - Everybody waits with a deadline and a stop of his own. Who leaves takes nothing with him: the
//   keys of a trip are copies. The thread that has the most time goes for the others; where it
//   leaves all the same, those that still have time ask anew.
// - What else makes a trip fail is told to all in it. Nothing else is repeated here.
//
// A child of fork() begins with none: those of its parent's threads are theirs.
//
// Gathering is for questions that may be asked twice, and none with a fence of its own.
template <class Answer, class Timeout = StoreError>
class Gathering {
 public:
  // Asks for a batch; throws, or has answered all. The keys are valid for the call, and the answers
  // come in as what each question brought.
  using Ask = std::function<void(std::span<const Key> keys, std::span<Answer> answers,
                                 const CallContext& context)>;

  // `nothing`: what an answer is before it came.
  Gathering(Ask ask, Answer nothing, GatheringLimits limits)
      : ask_(std::move(ask)), nothing_(std::move(nothing)), limits_(std::move(limits)) {
    limits_.usual_trips = std::min(limits_.usual_trips, limits_.most_trips);
  }

  // Throws what asking throws, and CallAborted or Timeout where time was over before.
  Answer ask(Key key, const CallContext& context) { return ask(key, nothing_, context); }
  Answer ask(Key key, Answer brought, const CallContext& context) {
    // A long key travels alone: in a shared round trip, its risk and cost would be those of all
    // keys.
    if (key.size() > limits_.longest_key) return ask_alone(key, std::move(brought), context);
    Traffic& traffic = traffic_.get();
    std::unique_lock lock(traffic.mutex);
    if (traffic.waiting.empty() && traffic.trips < limits_.usual_trips) {
      ++traffic.trips;
      lock.unlock();
      const Trip trip(*this, traffic);
      return ask_alone(key, std::move(brought), context);
    }
    const auto mine = std::make_shared<Question>(key, std::move(brought), limits_, context);
    traffic.waiting.push_back(mine);
    wait(lock, traffic, *mine, context);
    if (mine->state == State::leads) {
      lock.unlock();
      lead(traffic, mine, context);
    } else if (mine->state != State::answered) {
      leave(traffic, mine);
      give_up(context);
    }
    if (mine->error) std::rethrow_exception(mine->error);
    return std::move(mine->answer);
  }

  // How many questions wait for a trip.
  std::size_t waiting() {
    Traffic& traffic = traffic_.get();
    const std::lock_guard lock(traffic.mutex);
    return traffic.waiting.size();
  }

 private:
  using Clock = CallContext::Clock;

  enum class State : std::uint8_t { waits, travels, leads, answered, gone };

  struct Question {
    Question(Key asked, Answer brought, const GatheringLimits& limits, const CallContext& context)
        : key(asked),
          came(Clock::now()),
          until(std::min(context.deadline, came + limits.timeout)),
          answer(std::move(brought)) {}

    const std::string key;
    const Clock::time_point came;
    const Clock::time_point until;
    State state = State::waits;
    Answer answer;
    std::exception_ptr error{};
    std::vector<std::shared_ptr<Question>> led{};  // of who leads, with itself
    std::condition_variable_any changed{};
  };
  using Questions = std::vector<std::shared_ptr<Question>>;

  // The round trips under way in this process and the questions that wait for one. A child of
  // fork() knows nothing of those of its parent.
  struct Traffic {
    std::mutex mutex{};
    std::deque<std::shared_ptr<Question>> waiting{};
    std::size_t trips = 0;  // under way
  };

  // Counts one trip in `trips` while it lives.
  class Trip {
   public:
    Trip(Gathering& of, Traffic& in) : of_(of), in_(in) {}
    Trip(const Trip&) = delete;
    Trip& operator=(const Trip&) = delete;
    ~Trip() {
      const std::lock_guard lock(in_.mutex);
      --in_.trips;
      try {
        of_.depart_if_due(in_);
      } catch (const std::bad_alloc&) {
        // The next trip that ends is another chance for them.
      }
    }

   private:
    Gathering& of_;
    Traffic& in_;
  };

  Answer ask_alone(Key key, Answer answer, const CallContext& context) {
    ask_({&key, 1}, {&answer, 1}, context);
    return answer;
  }

  // Waits until the question leads, is answered, or its time is over.
  void wait(std::unique_lock<std::mutex>& lock, Traffic& traffic, Question& mine,
            const CallContext& context) {
    const auto is_on = [&] { return mine.state == State::leads || mine.state == State::answered; };
    const auto impatient_at = std::min(mine.until, mine.came + limits_.patience);
    if (mine.changed.wait_until(lock, context.stop, impatient_at, is_on)) return;
    if (mine.state == State::waits && !context.is_over()) depart_if_due(traffic);
    mine.changed.wait_until(lock, context.stop, mine.until, is_on);
  }

  // The lock is held, here and in depart().
  void depart_if_due(Traffic& traffic) {
    if (traffic.waiting.empty() || traffic.trips >= limits_.most_trips) return;
    const bool is_late = Clock::now() >= traffic.waiting.front()->came + limits_.patience;
    if (is_late || traffic.trips < limits_.usual_trips) depart(traffic);
  }

  // Sends off those that came first; the one that has the most time leads them.
  void depart(Traffic& traffic) {
    auto& waiting = traffic.waiting;
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting.size(), limits_.most_keys));
    Questions all(waiting.begin(), waiting.begin() + count);
    waiting.erase(waiting.begin(), waiting.begin() + count);
    ++traffic.trips;
    for (const auto& each : all) each->state = State::travels;
    Question& leader = **std::ranges::max_element(all, {}, [](const auto& q) { return q->until; });
    leader.state = State::leads;
    leader.led = std::move(all);
    leader.changed.notify_one();
  }

  // The lock is not held.
  void lead(Traffic& traffic, const std::shared_ptr<Question>& mine, const CallContext& context) {
    const Questions all = std::move(mine->led);
    const Trip trip(*this, traffic);
    std::vector<Answer> answers;
    std::exception_ptr error;
    bool has_left = false;
    try {
      std::vector<Key> keys;
      for (const auto& each : all) {
        keys.push_back(each->key);
        answers.push_back(each->answer);
      }
      ask_(keys, answers, {.deadline = mine->until, .stop = context.stop, .user = context.user});
    } catch (const CallAborted&) {
      has_left = true;
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(traffic.mutex);
    if (has_left) return hand_over(traffic, all, *mine, context);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i]->state == State::gone) continue;
      if (!error) all[i]->answer = std::move(answers[i]);
      all[i]->error = error;
      all[i]->state = State::answered;
      all[i]->changed.notify_one();
    }
  }

  // Gives these questions to the next trip, before all who came later.
  void hand_over(Traffic& traffic, const Questions& all, Question& leader,
                 const CallContext& context) {
    try {
      give_up(context);
    } catch (...) {
      leader.error = std::current_exception();
    }
    leader.state = State::answered;
    auto place = traffic.waiting.begin();
    for (const auto& each : all) {
      if (each->state != State::travels) continue;
      each->state = State::waits;
      place = std::next(traffic.waiting.insert(place, each));
    }
  }

  static void leave(Traffic& traffic, const std::shared_ptr<Question>& mine) {
    if (mine->state == State::waits) std::erase(traffic.waiting, mine);
    mine->state = State::gone;
  }

  [[noreturn]] void give_up(const CallContext& context) const {
    if (context.is_over()) {
      throw CallAborted(limits_.name + ": the call was over before its answer came");
    }
    throw Timeout(limits_.name + ": " + std::to_string(limits_.timeout.count()) +
                  " ms passed while waiting for the answer" + limits_.advice);
  }

  const Ask ask_;
  const Answer nothing_;
  GatheringLimits limits_;
  PerProcess<Traffic> traffic_;
};

}  // namespace bloomery
