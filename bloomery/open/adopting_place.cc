// SPDX-License-Identifier: Apache-2.0
#include "bloomery/open/adopting_place.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/filter/key_watch.h"

namespace bloomery {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

// While it lives no other place is adopted: what is inserted meanwhile goes into both filters by
// the place that it was begun in.
struct CountedRebuild final : Rebuild {
  CountedRebuild(std::shared_ptr<std::atomic<int>> of, std::unique_ptr<Rebuild> counted)
      : count(std::move(of)), rebuild(std::move(counted)) {
    ++*count;
  }
  ~CountedRebuild() override {
    rebuild.reset();
    --*count;
  }
  void insert_many(std::span<const Key> keys, const CallContext& context) override {
    rebuild->insert_many(keys, context);
  }
  void commit(const CallContext& context) override { rebuild->commit(context); }
  void commit_at(const Watermark& watermark, const CallContext& context) override {
    rebuild->commit_at(watermark, context);
  }

  const std::shared_ptr<std::atomic<int>> count;
  std::unique_ptr<Rebuild> rebuild;
};

}  // namespace

AdoptingPlace::AdoptingPlace(std::unique_ptr<FilterPlace> opened, Open open, bool heads_move,
                             bool keys_as_said)
    : name_(opened->name()),
      open_(std::move(open)),
      heads_move_(heads_move),
      keys_as_said_(keys_as_said),
      opened_(nullptr) {
  auto first = std::make_unique<Opened>();
  first->place = std::move(opened);
  try {
    const PlaceHead head = first->place->head();
    first->identity = head.identity;
    first->keys = head.parameters.keys;
  } catch (const StoreError&) {
    // In doubt, and so another one if it is none some time.
  }
  opened_ = first.release();
}

AdoptingPlace::~AdoptingPlace() {
  delete opened_.load();
}

std::shared_ptr<FilterPlace> AdoptingPlace::now() const {
  const auto pass = mine_.get().gate.enter();
  return opened_.load()->place;
}

void AdoptingPlace::ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                        const CallContext& context) {
  require_room(keys, answers);
  require_fence(context);
  const Asked asked =
      ask_opened([&](FilterPlace& place) { place.ask(keys, answers, proofs, context); });
  if (!asked.knows_form) settle_form(asked, answers, context);
  if (context.fence == nullptr) return;
  if (std::ranges::find(answers, Presence::unknown) != answers.end())
    look(keys, answers, proofs, context);
}

Presence AdoptingPlace::ask_one(Key key, Proofs& proofs, const CallContext& context) {
  require_fence(context);
  Presence answer = Presence::unknown;
  const Asked asked =
      ask_opened([&](FilterPlace& place) { answer = place.ask_one(key, proofs, context); });
  if (!asked.knows_form) settle_form(asked, {&answer, 1}, context);
  if (answer == Presence::unknown && context.fence != nullptr) {
    look({&key, 1}, {&answer, 1}, proofs, context);
  }
  return answer;
}

void AdoptingPlace::look(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                         const CallContext& context) {
  Mine& mine = mine_.get();
  const std::unique_lock lock(mine.looking, std::try_to_lock);
  if (!lock.owns_lock() || CallContext::Clock::now() < mine.look_again_at || *rebuilds_ != 0)
    return;
  try {
    if (may_be_another(*context.fence, context)) {
      std::shared_ptr<FilterPlace> place = open_();
      const PlaceHead head = place->head(context);
      if (head.watermark && head.watermark->reaches(context.fence->at_least) &&
          goes_on_with(opened_.load()->keys.value_or(head.parameters.keys), head.parameters.keys)) {
        std::vector<Presence> said(keys.size(), Presence::unknown);
        place->ask(keys, said, proofs, context);
        const std::unique_ptr<const Opened> old(opened_.exchange(new Opened{
            std::move(place), head.identity, head.parameters.keys, opened_.load()->adoptions + 1}));
        mine.gate.wait_for_readers();
        std::ranges::copy(said, answers.begin());
      }
    }
  } catch (const std::exception&) {
    // The other filter stays as unknown as it was.
  }
  mine.look_again_at = CallContext::Clock::now() + kBetweenLooks;
}

// Callers ask in the form of the filter's keys. If the place could not name that form when it was
// opened, it answers nothing before it has named it.
void AdoptingPlace::settle_form(const Asked& asked, std::span<Presence> answers,
                                const CallContext& context) {
  const auto is_unknown = [](Presence each) { return each == Presence::unknown; };
  if (std::ranges::all_of(answers, is_unknown)) return;
  Mine& mine = mine_.get();
  const std::unique_lock lock(mine.looking, std::try_to_lock);
  try {
    const Opened& opened = *opened_.load();
    if (lock.owns_lock() && opened.adoptions == asked.adoptions) {
      if (opened.keys) return;
      const PlaceHead head = opened.place->head(context);
      const std::unique_ptr<const Opened> old(opened_.exchange(
          new Opened{opened.place, head.identity, head.parameters.keys, opened.adoptions}));
      mine.gate.wait_for_readers();
      return;
    }
  } catch (const std::exception&) {
    // The other filter stays as unknown as it was.
  }
  std::ranges::fill(answers, Presence::unknown);
}

// Returns whether another filter may be there. The open one counts as another, too, if it has what
// it is asked for and is not believed: what an open place has seen of it once and sees no more is
// not forgotten.
bool AdoptingPlace::may_be_another(const Fence& fence, const CallContext& context) const {
  if (!heads_move_) return true;
  const auto pass = mine_.get().gate.enter();
  const Opened& opened = *opened_.load();
  try {
    const PlaceHead head = opened.place->head(context);
    return head.identity != opened.identity ||
           (head.watermark && head.watermark->reaches(fence.at_least));
  } catch (const std::exception&) {  // it is in doubt
    return true;
  }
}

void AdoptingPlace::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                                const CallContext& context) {
  require_room(keys, outcomes);
  const auto pass = mine_.get().gate.enter();
  const Opened& opened = *opened_.load();
  require_keys_of(opened, keys);
  opened.place->insert_many(keys, outcomes, context);
}

// Refuses keys of another form than the server's filter says, which cannot be changed.
void AdoptingPlace::require_keys_of(const Opened& opened, std::span<const Key> keys) const {
  if (keys_as_said_ || !opened.keys || !opened.keys->is_known()) return;
  const auto is_said = [&](Key key) { return is_key_of(*opened.keys, key); };
  if (!std::ranges::all_of(keys, is_said)) refuse_other_keys(*opened.keys, name_);
}

void AdoptingPlace::flush(const CallContext& context) {
  with([&](FilterPlace& place) { place.flush(context); });
}

PlaceHead AdoptingPlace::head(const CallContext& context) {
  return with([&](FilterPlace& place) { return place.head(context); });
}

AnyFilter AdoptingPlace::copy(const CallContext& context) {
  return now()->copy(context);
}

bool AdoptingPlace::insert_and_advance(std::span<const Key> keys, PlaceHead& head,
                                       const Watermark& next, const CallContext& context) {
  const auto pass = mine_.get().gate.enter();
  const Opened& opened = *opened_.load();
  require_keys_of(opened, keys);
  return opened.place->insert_and_advance(keys, head, next, context);
}

std::unique_ptr<Rebuild> AdoptingPlace::begin_rebuild(const FilterOptions& options,
                                                      const CallContext& context) {
  // Not while somebody looks: he might exchange the place in between.
  const std::lock_guard lock(mine_.get().looking);
  return std::make_unique<CountedRebuild>(
      rebuilds_, with([&](FilterPlace& place) { return place.begin_rebuild(options, context); }));
}

void AdoptingPlace::destroy(const CallContext& context) {
  with([&](FilterPlace& place) { place.destroy(context); });
}

}  // namespace bloomery
