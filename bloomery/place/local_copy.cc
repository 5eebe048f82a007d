// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/local_copy.h"

#include <algorithm>
#include <array>
#include <exception>
#include <random>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/place/apply_hashes.h"

namespace bloomery {
namespace {

LocalCopyOptions checked_copy(LocalCopyOptions options, const FilterPlace& place) {
  options.look_every = std::min(options.look_every, kForever);
  if (options.look_every >= std::chrono::milliseconds(1)) return options;
  throw std::invalid_argument(place.name() + ": look_every is " +
                              std::to_string(options.look_every.count()) +
                              " ms; allowed: at least 1 ms");
}

// How long a source waits for something to come.
constexpr std::chrono::milliseconds kDeltaWait{1000};
// Copies in many processes lose their chain at once, and are read whole one after the other: each
// waits up to so many times as long as it waits between looks.
constexpr int kLongestTurn = 4;

}  // namespace

LocalCopy::LocalCopy(FilterPlace& place, const LocalCopyOptions& options)
    : place_(place),
      options_(checked_copy(options, place)),
      thread_([this](const std::stop_token& stop) { keep_up(stop); }) {}

LocalCopy::LocalCopy(std::unique_ptr<FilterPlace> place, const LocalCopyOptions& options)
    : LocalCopy(*place, options) {
  owned_ = std::move(place);
}

LocalCopy::~LocalCopy() {
  if (!is_ours()) {
    // A child of fork() has no such thread. State that the thread used may be half of something,
    // and state that it waits at would be waited for.
    static_cast<void>(new std::jthread(std::move(thread_)));
    static_cast<void>(over_.release());
    return;
  }
  thread_.request_stop();
  thread_.join();
  delete copy_.load();
}

std::string LocalCopy::last_error() const {
  if (!is_ours()) return "a child of fork() reads no copies";
  const std::lock_guard lock(mutex_);
  return last_error_;
}

bool LocalCopy::Copy::is_of(const PlaceHead& now,
                            const std::optional<Watermark>& then) const noexcept {
  if (identity != now.identity) return false;
  return !then || (now.watermark && now.watermark->reaches(*then));
}

// Returns the head of the place, or, if that fails, the head of the copy. A caller that has the
// head of another filter finds no copy of this one afterwards: the copy is given up here, or it
// comes later and is not confirmed.
PlaceHead LocalCopy::head(const CallContext& context) {
  try {
    std::uint64_t number = 0;
    std::optional<Watermark> reached;
    {
      const auto pass = gate_.enter();
      const Copy* const copy = copy_.load();
      if (copy != nullptr) {
        number = copy->number;
        reached = copy->reached();
      }
    }
    PlaceHead now = place_.head(context);
    const auto pass = gate_.enter();
    Copy* const copy = copy_.load();
    if (copy != nullptr && !copy->is_of(now, copy->number == number ? reached : copy->reached())) {
      copy->is_given_up = true;
    }
    return now;
  } catch (const CallAborted&) {
    throw;
  } catch (const std::exception&) {
    const auto pass = gate_.enter();
    const Copy* const copy = copy_.load();
    if (copy == nullptr || !copy->may_deny() || !copy->source) throw;
    PlaceHead of_copy;
    of_copy.identity = copy->identity;
    of_copy.parameters = copy->parameters;
    of_copy.watermark = copy->reached();
    of_copy.beat = copy->beat;
    return of_copy;
  }
}

// The copy's watermark is in the place's head, or it is given up. Where the place is away the copy
// is what there is, until the place is back, however far it is then.
void LocalCopy::look_at_both(Proofs& proofs, const CallContext& context) {
  try {
    place_.ask({}, {}, proofs, context);
  } catch (const CallAborted&) {
    throw;
  } catch (const std::exception&) {
    proofs.add(Proof{});
  }
  head(context);
  ask_copy({}, {}, proofs, context);
}

// Loads the watermark: keys up to there are in the bits that are read behind it.
Presence LocalCopy::missing_in(const Copy& copy, Proofs& proofs, const CallContext& context) const {
  if (!copy.source || !copy.may_deny()) return Presence::unknown;
  const Identity& source = *copy.source;
  const std::uint64_t reached = copy.position.load(std::memory_order_acquire);
  proofs.add(kCopyPart, copy.filter_number, source, reached);
  if (context.fence == nullptr) return Presence::unknown;
  const bool has_come = Watermark{source, reached}.reaches(context.fence->at_least);
  return has_come ? Presence::absent : Presence::unknown;
}

void LocalCopy::ask_copy(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                         const CallContext& context) const {
  const auto pass = gate_.enter();
  const Copy* const copy = copy_.load();
  if (copy == nullptr) return;
  const Presence missing = missing_in(*copy, proofs, context);
  std::array<bool, 256> found;
  for (std::size_t from = 0; from < keys.size(); from += found.size()) {
    const std::size_t count = std::min(found.size(), keys.size() - from);
    std::as_const(*copy->filter).may_contain_many(keys.subspan(from, count), {found.data(), count});
    for (std::size_t i = 0; i < count; ++i) {
      answers[from + i] = found[i] ? Presence::maybe : missing;
    }
  }
}

Presence LocalCopy::ask_one(Key key, Proofs& proofs, const CallContext& context) {
  require_fence(context);
  {
    const auto pass = gate_.enter();
    const Copy* const copy = copy_.load();
    if (copy != nullptr) {
      const Presence missing = missing_in(*copy, proofs, context);
      if (std::as_const(*copy->filter).may_contain(key)) return Presence::maybe;
      if (missing == Presence::absent) return missing;
    }
  }
  return place_.ask_one(key, proofs, context);
}

void LocalCopy::ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                    const CallContext& context) {
  require_room(keys, answers);
  require_fence(context);
  if (keys.empty()) return look_at_both(proofs, context);
  ask_copy(keys, answers, proofs, context);
  std::vector<Key> asked;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (answers[i] != Presence::unknown) continue;
    asked.push_back(keys[i]);
    positions.push_back(i);
  }
  if (asked.empty()) return;
  std::vector<Presence> said(asked.size(), Presence::unknown);
  place_.ask(asked, said, proofs, context);
  for (std::size_t i = 0; i < said.size(); ++i) answers[positions[i]] = said[i];
}

void LocalCopy::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                            const CallContext& context) {
  require_room(keys, outcomes);
  place_.insert_many(keys, outcomes, context);
  put_in(keys);
}

bool LocalCopy::insert_and_advance(std::span<const Key> keys, PlaceHead& head,
                                   const Watermark& next, const CallContext& context) {
  const bool has_moved = place_.insert_and_advance(keys, head, next, context);
  put_in(keys);
  return has_moved;
}

// Puts keys that are in the place into the copy. A copy that begins to be read from now on has them
// by itself.
void LocalCopy::put_in(std::span<const Key> keys) {
  if (!is_ours()) {
    // Nobody replaces the copy, and nobody reads another.
    const Copy* const copy = copy_.load();
    if (copy == nullptr) return;
    for (const Key key : keys) copy->filter->insert_concurrently(key);
    return;
  }
  const std::lock_guard lock(mutex_);
  if (is_reading_) meanwhile_.insert(meanwhile_.end(), keys.begin(), keys.end());
  const Copy* const copy = copy_.load();
  if (copy == nullptr) return;
  for (const Key key : keys) copy->filter->insert_concurrently(key);
}

// Waits a random time.
void LocalCopy::wait_for_turn(const std::stop_token& stop) {
  const auto longest = std::min(options_.look_every, kForever / kLongestTurn) * kLongestTurn;
  std::uniform_int_distribution<std::chrono::milliseconds::rep> times(0, longest.count());
  pause(std::chrono::milliseconds(times(random_)), stop);
}

void LocalCopy::pause(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  over_->wait_for(lock, stop, time, [] { return false; });
}

void LocalCopy::keep_up(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::string error;
    try {
      options_.deltas ? look_at_deltas(stop) : look(stop);
    } catch (const std::exception& failure) {
      error = failure.what();
    }
    std::unique_lock lock(mutex_);
    if (!options_.kept || !may_begin_with_kept_) {
      is_reading_ = false;
      meanwhile_.clear();
    }
    const bool goes_on = position_ && error.empty() && waits_itself();
    last_error_ = std::move(error);
    if (!goes_on) over_->wait_for(lock, stop, options_.look_every, [] { return false; });
  }
}

// Returns whether the next look needs no pause before it.
bool LocalCopy::waits_itself() const noexcept {
  return is_behind_ || options_.deltas->awaits() != DeltaSource::Awaits::nothing;
}

// Gives up the copy, and throws, if the place's filter has keys of another form.
void LocalCopy::require_same_keys(const FilterParameters& parameters) {
  if (!keys_) keys_ = options_.keys.value_or(parameters.keys);
  if (goes_on_with(*keys_, parameters.keys)) return;
  give_up_copy();
  throw StoreError(name() + ": its keys are now " + form_text(parameters.keys) + ", and were " +
                   form_text(*keys_) + "; such a filter is not copied");
}

void LocalCopy::give_up_copy() noexcept {
  Copy* const copy = copy_.load();  // nobody else replaces it
  if (copy != nullptr) copy->is_given_up = true;
}

// Lets everybody find the copy, with what was inserted while it was read, and lets it deny once the
// place's head, read after that, is still of its filter: whoever has the head of another one by
// then would find a copy of this one otherwise.
void LocalCopy::publish(std::unique_ptr<Copy> next, const CallContext& context) {
  Copy& made = *next;
  made.number = ++last_number_;
  made.filter_number = numbers_.of(made.identity);
  std::unique_ptr<const Copy> gone;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& key : meanwhile_) next->filter->insert_concurrently(Key(key));
    meanwhile_.clear();
    gone.reset(copy_.exchange(next.release()));
    is_reading_ = false;
  }
  gate_.wait_for_readers();
  gone.reset();
  if (!made.is_of(place_.head(context), made.reached())) {
    throw StoreError(name() + ": another filter took its place while it was copied");
  }
  made.is_confirmed = true;
}

void LocalCopy::look(const std::stop_token& stop) {
  const CallContext context{.stop = stop};
  keep_what_comes_meanwhile();
  const PlaceHead head = place_.head(context);
  Copy* const old = copy_.load();  // nobody else replaces it
  if (old != nullptr && !old->is_of(head, old->reached())) old->is_given_up = true;
  if (old != nullptr && old->may_deny() && old->reached() == head.watermark &&
      old->beat == head.beat && head.watermark) {
    return;
  }
  require_same_keys(head.parameters);
  if (head.parameters.geometry.bit_count / 8 > options_.most_bytes) {
    throw StoreError(name() + ": its filter has more than most_bytes, and is not copied");
  }
  auto next = std::make_unique<Copy>();
  const Fence fence{head.watermark.value_or(Watermark{})};
  CallContext behind = context;
  if (head.watermark) behind.fence = &fence;
  next->filter = std::make_shared<AnyFilter>(place_.copy(behind));
  next->identity = head.identity;
  next->parameters = head.parameters;
  next->reach(head.watermark);
  next->beat = head.beat;
  // A watermark is only good for the filter in whose head it was, which publish() asks once more.
  publish(std::move(next), context);
  copies_.fetch_add(1, std::memory_order_relaxed);
}

// Takes over what came since. A server that answers with an error has no such filter any more; one
// that does not answer may have it, and the copy goes on.
void LocalCopy::look_at_deltas(const std::stop_token& stop) {
  using Awaits = DeltaSource::Awaits;
  const CallContext context{.stop = stop};
  try {
    const Copy* const copy = copy_.load();  // nobody else replaces it
    if (copy != nullptr && copy->is_given_up) position_.reset();
    std::string why = copy == nullptr ? "the first copy" : "the chain of what came was broken";
    if (position_) {
      const Awaits awaits = options_.deltas->awaits();
      const auto wait = awaits == Awaits::everything ? kDeltaWait : options_.look_every;
      const auto delta = options_.deltas->since(*position_, wait, context);
      if (delta) return take(*delta);
      position_.reset();
      // A place that never had a chain is read whole whenever it has changed, at each look.
      if (awaits == Awaits::everything || hashes() != 0) {
        wait_for_turn(stop);
      } else if (awaits == Awaits::steps && !has_gone_on_) {
        pause(options_.look_every, stop);
      }
    } else if (options_.kept && may_begin_with_kept_) {
      why = begin_with_kept(context);
      if (why.empty()) return;
    }
    tell_why_whole(std::move(why));
    read_whole(context);
  } catch (const DeltaSource::Gone&) {
    position_.reset();
    give_up_copy();
    throw;
  }
}

// Reads the filter; its watermark and bits are of one filter.
void LocalCopy::read_whole(const CallContext& context) {
  keep_what_comes_meanwhile();
  auto whole = options_.deltas->read_whole(options_.most_bytes, context);
  require_same_keys(whole.filter.parameters());
  publish(std::move(whole), context);
  copies_.fetch_add(1, std::memory_order_relaxed);
}

void LocalCopy::publish(DeltaSource::Whole whole, const CallContext& context) {
  auto next = std::make_unique<Copy>();
  next->parameters = whole.filter.parameters();
  next->filter = std::make_shared<AnyFilter>(std::move(whole.filter));
  next->identity = whole.identity;
  next->reach(whole.reached);
  next->beat = whole.beat;
  const DeltaPosition position = whole.position;
  publish(std::move(next), context);
  position_ = position;
  is_behind_ = false;
  has_gone_on_ = false;
}

// First the bits, then the watermark.
void LocalCopy::take(const DeltaSource::Delta& delta) {
  Copy* const copy = copy_.load();  // nobody else replaces it
  apply_hashes(*copy->filter, delta.hashes);
  hashes_.fetch_add(delta.hashes.size(), std::memory_order_relaxed);
  position_ = delta.position;
  is_behind_ = !delta.is_last;
  has_gone_on_ = true;
  if (is_behind_) return;
  if (delta.identity != copy->identity) {
    position_.reset();
    throw StoreError(name() + ": another filter took its place");
  }
  const auto source = delta.reached ? std::optional(delta.reached->source) : std::nullopt;
  if (source == copy->source) {
    if (source) copy->position.store(delta.reached->position, std::memory_order_release);
    return;
  }
  // The watermark is of another database, or the first one: the copy is made anew with it.
  position_.reset();
}

}  // namespace bloomery
