// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/os/own_process.h"
#include "bloomery/place/delta_source.h"
#include "bloomery/place/followed_filter.h"
#include "bloomery/place/reader_gate.h"

namespace bloomery {

// Options of a LocalCopy.
struct LocalCopyOptions {
  // How often its own thread looks whether the place has changed, and then reads it whole.
  std::chrono::milliseconds look_every{250};
  // `most_bytes`: a place with more bytes is not read.
  std::uint64_t most_bytes = 256 * 1024 * 1024;
  // A source of what came into the place's filter; null: there is none. With it the copy takes over
  // the hashes of that within some ten milliseconds, and is read whole only where their chain is
  // broken.
  std::shared_ptr<DeltaSource> deltas{};
  // `kept`: reads a copy that a file has, of at most so many bytes. The first copy is that one with
  // what came since, where `deltas` have all of it; else it is read whole, and why_whole() says
  // why.
  std::function<DeltaSource::Kept(std::uint64_t most_bytes)> kept{};
  // How the caller writes keys; a filter of other keys is not copied. Not said: as those of the
  // first copy.
  std::optional<KeyForm> keys{};
};

// A place in a server with a copy of its filter in this process, for GuardMode::budget: what the
// copy has, and what it lacks behind a fence that it reaches, costs no trip. The place is asked
// for the rest: for what the copy lacks without a fence, or behind one that it does not reach.
//
// The copy's watermark is one that was read before its bits. Keys that are inserted through this
// object are in both. Keys that another process puts into the place itself, and no follower brings,
// are in the copy from the next whole read on; without a fence it denies nothing.
//
// With deltas (LocalCopyOptions::deltas) the same copy goes on: the bits of what came are set
// first, then its watermark moves, so the watermark is never ahead of the bits. A question loads
// the watermark before it reads bits, and judges by that one.
//
// A copy is read in a thread of its own, while the last one answers; where that fails it goes on,
// unless another filter is in the place, or one that is less far: such a copy denies nothing more.
// Whoever asks for the head sees to that before he has it. While the place is away its head is the
// copy's, as that is what denies.
//
// A child of fork() has the copy, but no such thread: behind later fences it asks the place.
// Borrows the place. All calls may run together.
class LocalCopy final : public FollowedFilter {
 public:
  // Reads nothing yet. Throws std::invalid_argument for a time below 1 ms.
  explicit LocalCopy(FilterPlace& place, const LocalCopyOptions& options = {});
  // Owns the place.
  explicit LocalCopy(std::unique_ptr<FilterPlace> place, const LocalCopyOptions& options = {});
  LocalCopy(const LocalCopy&) = delete;
  LocalCopy& operator=(const LocalCopy&) = delete;
  ~LocalCopy() override;

  std::string name() const override { return place_.name(); }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  Presence ask_one(Key key, Proofs& proofs, const CallContext& context = {}) override;
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context = {}) override;
  void flush(const CallContext& context) override { place_.flush(context); }
  PlaceHead head(const CallContext& context = {}) override;
  AnyFilter copy(const CallContext& context = {}) override { return place_.copy(context); }
  // The copy has these keys too; its watermark stays where it is.
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context = {}) override;
  void destroy(const CallContext& context = {}) override { place_.destroy(context); }

  // How often it was read whole, counted a moment after such a copy may deny, and why the last time
  // failed; empty where it did not.
  std::uint64_t copies() const noexcept { return copies_.load(std::memory_order_relaxed); }
  // How many hashes came as deltas.
  std::uint64_t hashes() const noexcept { return hashes_.load(std::memory_order_relaxed); }
  // Why it was read whole the last time that deltas would have done; empty where it never was.
  std::string why_whole() const;
  std::string last_error() const;

 private:
  // A filter here, and what is known of it. Keys go in, and with deltas the position of the
  // watermark moves; all else is only replaced.
  struct Copy {
    std::shared_ptr<AnyFilter> filter;
    Identity identity{};
    FilterParameters parameters{};
    std::optional<Identity> source{};  // whose watermark it is; none: there is no watermark
    std::atomic<std::uint64_t> position = 0;
    std::uint64_t beat = 0;
    std::uint64_t number = 0;         // of this copy among those of this object
    std::uint64_t filter_number = 0;  // of its filter, in proofs
    // `is_confirmed`: the copy's filter was still in the place after everybody could find the copy
    // here.
    std::atomic<bool> is_confirmed = false;
    std::atomic<bool> is_given_up = false;  // that filter is not there any more

    // Read before the bits, it is no later than they are.
    std::optional<Watermark> reached() const noexcept {
      if (!source) return std::nullopt;
      return Watermark{*source, position.load(std::memory_order_acquire)};
    }
    void reach(const std::optional<Watermark>& watermark) noexcept {
      source = watermark ? std::optional(watermark->source) : std::nullopt;
      position.store(watermark ? watermark->position : 0, std::memory_order_release);
    }
    bool may_deny() const noexcept { return is_confirmed && !is_given_up; }
    // Returns whether a place whose head this is has the copy's filter, at least as far as `then`,
    // which the copy had reached before the head was read.
    bool is_of(const PlaceHead& now, const std::optional<Watermark>& then) const noexcept;
  };
  // The number of the copy in proofs, beside the parts of the place.
  static constexpr std::uint32_t kCopyPart = UINT32_MAX;

  // Returns the answer for a key that the copy lacks, and proves it. Called before bits are read.
  Presence missing_in(const Copy& copy, Proofs& proofs, const CallContext& context) const;
  // Answers by the copy: `maybe`, `absent`, or `unknown`, of which the place is asked.
  void ask_copy(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                const CallContext& context) const;
  // FilterPlace::ask without keys.
  void look_at_both(Proofs& proofs, const CallContext& context);
  void put_in(std::span<const Key> keys);
  // Returns whether this process made the object; false in a child of fork().
  bool is_ours() const noexcept { return process_ == process_number(); }
  void keep_up(const std::stop_token& stop);
  void look(const std::stop_token& stop);
  void look_at_deltas(const std::stop_token& stop);
  void read_whole(const CallContext& context);
  bool waits_itself() const noexcept;
  void publish(DeltaSource::Whole whole, const CallContext& context);
  void keep_what_comes_meanwhile();
  void tell_why_whole(std::string why);
  std::string begin_with_kept(const CallContext& context);
  void wait_for_turn(const std::stop_token& stop);
  void pause(std::chrono::milliseconds time, const std::stop_token& stop);
  void take(const DeltaSource::Delta& delta);
  void publish(std::unique_ptr<Copy> next, const CallContext& context);
  void give_up_copy() noexcept;
  void require_same_keys(const FilterParameters& parameters);

  std::unique_ptr<FilterPlace> owned_{};
  FilterPlace& place_;
  const LocalCopyOptions options_;
  const FilterNumbers numbers_;
  ReaderGate gate_{ReaderGate::Waits::rarely};
  std::atomic<Copy*> copy_{nullptr};

  mutable std::mutex mutex_;
  bool is_reading_ = options_.kept != nullptr;  // what is inserted may not be in the kept copy
  std::vector<std::string> meanwhile_;          // inserted while it is read
  std::string last_error_;
  std::string why_whole_;
  std::atomic<std::uint64_t> copies_{0};
  std::atomic<std::uint64_t> hashes_{0};
  // Members that the thread alone uses.
  std::optional<DeltaPosition> position_{};
  bool may_begin_with_kept_ = true;
  bool is_behind_ = false;    // more of the same delta is to come
  bool has_gone_on_ = false;  // by a delta, since it was read whole
  std::optional<KeyForm> keys_{};
  std::uint64_t last_number_ = 0;
  std::minstd_rand random_{std::random_device()()};
  std::unique_ptr<std::condition_variable_any> over_ =
      std::make_unique<std::condition_variable_any>();
  const std::uint64_t process_ = process_number();
  std::jthread thread_;  // the last: it uses all of these
};

}  // namespace bloomery
