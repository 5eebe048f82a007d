// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/place/followed_filter.h"
#include "bloomery/place/reader_gate.h"

namespace bloomery {

// A filter that may be asked while others insert.
template <class F>
concept ConcurrentFilter = requires(F& filter, const F& constant, Key key,
                                    std::span<const Key> keys, std::span<bool> found) {
  constant.may_contain_many(keys, found);
  filter.insert_concurrently(key);
};

// A key that is in by chance takes others with it when it is erased: an "absent" after that is no
// promise. (Of an AnyFilter this is known at run time.)
template <class F>
concept ErasingFilter = !std::same_as<F, AnyFilter> && requires(F & filter, Key key) {
  filter.erase(key);
};

template <class F>
concept PlaceableFilter = ConcurrentFilter<F> && !ErasingFilter<F>;

// Throws std::invalid_argument for a filter that forgets keys or lets them be erased.
void require_placeable(const FilterParameters& parameters, bool can_erase);

// An empty filter of the same kind. Throws std::invalid_argument for other systems' kinds and those
// that are built once.
AnyFilter make_another(const AnyFilter& filter, const FilterOptions& options);

// A filter in this process. It starts as `unknown` for every key that it does not have: nobody can
// see whether a filter that was just made, filled halfway or loaded from a file is complete. Say so
// with ready(), once it holds every key. Inserts are taken from the beginning.
//
// begin_rebuild() exchanges the filter while it answers. A key costs no lock and no allocation;
// what else there is waits for questions under way.
template <PlaceableFilter F = AnyFilter>
class MemoryPlace final : public FollowedFilter {
 public:
  // Throws std::invalid_argument for a kind that forgets (windowed) or erases (counting).
  explicit MemoryPlace(F filter) requires std::movable<F>
      : MemoryPlace(std::make_shared<F>(std::move(filter))) {}
  // Shared with the caller, who may ask it and insert concurrently, and nothing else.
  explicit MemoryPlace(std::shared_ptr<F> filter)
      : state_(new State{.filter = checked(std::move(filter)), .identity = Identity::random()}) {}

  MemoryPlace(const MemoryPlace&) = delete;
  MemoryPlace& operator=(const MemoryPlace&) = delete;
  // Must not run beside another call.
  ~MemoryPlace() override { delete state_.load(); }

  std::string name() const override { return "a filter in memory"; }

  // The filter holds every key that exists: what it does not have is `absent` from here on.
  void ready() {
    change([](State& state) { state.ready = true; });
  }
  // The opposite, where somebody has reason to doubt.
  void doubt() {
    change([](State& state) { state.ready = false; });
  }

  // The filter as it is now, to be asked or saved; others may go on inserting.
  std::shared_ptr<const F> filter() const {
    const auto pass = gate_.enter();
    return state_.load()->filter;
  }

  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override {
    require_room(keys, answers);
    require_fence(context);
    const auto pass = gate_.enter();
    const State& state = *state_.load();
    proofs.add(state.proof());
    const Presence no = missing(state, context);
    // In pieces whose answers fit on the stack: no allocation.
    std::array<bool, kPiece> found;
    for (std::size_t start = 0; start < keys.size(); start += kPiece) {
      const std::size_t count = std::min(kPiece, keys.size() - start);
      std::as_const(*state.filter)
          .may_contain_many(keys.subspan(start, count), std::span(found).first(count));
      std::transform(found.begin(), found.begin() + count, answers.begin() + start,
                     [no](bool each) { return each ? Presence::maybe : no; });
    }
  }

  Presence ask_one(Key key, Proofs& proofs, const CallContext& context = {}) override {
    require_fence(context);
    const auto pass = gate_.enter();
    const State& state = *state_.load();
    proofs.add(state.proof());
    const F& filter = *state.filter;
    bool found = true;
    if constexpr (requires { bool{filter.may_contain(key)}; }) {
      found = filter.may_contain(key);
    } else {
      filter.may_contain_many(std::span<const Key>(&key, 1), std::span<bool>(&found, 1));
    }
    return found ? Presence::maybe : missing(state, context);
  }

  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& = {}) override {
    require_room(keys, outcomes);
    const auto pass = gate_.enter();
    const State& state = *state_.load();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Inserted outcome = insert_into(*state.filter, keys[i]);
      if (i < outcomes.size()) outcomes[i] = outcome;
    }
    if (state.next) state.next->insert_many(keys, state.must_enter_next);
  }

  PlaceHead head(const CallContext& = {}) override {
    const auto pass = gate_.enter();
    const State& state = *state_.load();
    PlaceHead head{.identity = state.identity, .watermark = state.watermark, .beat = state.beat};
    if (!state.ready) head.no_absent = NoAbsent::not_ready;
    if constexpr (Filter<F> || std::same_as<F, AnyFilter>) {
      head.parameters = state.filter->parameters();
      head.inserted = state.filter->inserted();
    }
    return head;
  }

  // Inserts and advances in two steps, which are as good as one: keys stay in as long as this
  // process lives.
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context = {}) override {
    insert_many(keys, std::span<Inserted>(), context);
    const std::lock_guard lock(changing_);
    State state = *state_.load();
    if (state.identity != head.identity || state.watermark != head.watermark ||
        state.beat != head.beat) {
      return false;
    }
    head.watermark = state.watermark = next;
    head.beat = ++state.beat;
    publish(std::move(state));
    return true;
  }

  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext& = {}) override {
    if constexpr (std::same_as<F, AnyFilter>) {
      return begin_rebuild(std::make_shared<F>(make_another(*filter(), made_alike(options))));
    } else if constexpr (std::constructible_from<F, const FilterOptions&>) {
      return begin_rebuild(std::make_shared<F>(made_alike(options)));
    } else {
      this->refuse("its filter cannot be made anew; give one to begin_rebuild()");
    }
  }
  // Begins a rebuild with a filter of the caller's, which may hold keys already. Throws StoreError
  // while another rebuild is under way.
  std::unique_ptr<Rebuild> begin_rebuild(std::shared_ptr<F> filter) {
    auto next = std::make_shared<Next>(checked(std::move(filter)));
    auto rebuild = std::make_unique<Exchange>(*this, next);
    change([&, this](State& state) {
      if (state.next) throw StoreError(name() + ": a rebuild is under way already");
      state.next = next;
    });
    rebuild->begun = true;
    return rebuild;
  }

 private:
  // A secret filter stays one, under another key.
  FilterOptions made_alike(FilterOptions options) const {
    if constexpr (requires { filter()->parameters(); }) {
      options.secret |= options.seed == 0 && filter()->parameters().hash.id() == HashId::secret;
    }
    return options;
  }

  static constexpr std::size_t kPiece = 256;

  // The filter of a rebuild. An insert that it cannot take fails the rebuild, not the insert, until
  // the rebuild is past that question.
  struct Next {
    explicit Next(std::shared_ptr<F> f) : filter(std::move(f)) {}

    void insert_many(std::span<const Key> keys, bool must_enter) {
      try {
        for (const Key key : keys) filter->insert_concurrently(key);
      } catch (...) {
        incomplete = true;
        if (must_enter) throw;
      }
    }

    std::shared_ptr<F> filter;
    std::atomic<bool> incomplete = false;
  };

  // State: never changed, only replaced, so one pointer tells a reader all.
  struct State {
    std::shared_ptr<F> filter;
    std::shared_ptr<Next> next{};
    Identity identity{};
    std::optional<Watermark> watermark{};
    std::uint64_t beat = 0;
    bool ready = false;
    bool must_enter_next = false;

    // The identity is random, and no other filter's.
    Proof proof() const noexcept { return {.filter = identity.low, .watermark = watermark}; }
  };

  struct Exchange final : Rebuild {
    Exchange(MemoryPlace& of, std::shared_ptr<Next> n) : place(of), next(std::move(n)) {}
    ~Exchange() override {
      if (!begun) return;
      try {
        place.change([](State& state) { state.next = nullptr; });
      } catch (...) {  // no memory: the inserts go on into both, and no harm is done
      }
    }

    void insert_many(std::span<const Key> keys, const CallContext&) override {
      for (const Key key : keys) next->filter->insert_concurrently(key);
    }
    void commit(const CallContext&) override { finish(std::nullopt); }
    void commit_at(const Watermark& watermark, const CallContext&) override { finish(watermark); }

    void finish(std::optional<Watermark> watermark) {
      if (!begun) throw StoreError(place.name() + ": this rebuild is over");
      const Identity identity = Identity::random();
      // No insert fails without a word from here on, so that what is asked next stays true.
      place.change([](State& state) { state.must_enter_next = true; });
      if (next->incomplete) {
        place.change([](State& state) { state.must_enter_next = false; });
        throw StoreError(place.name() + ": the new filter could not take every insert");
      }
      place.change([&, this](State& state) {
        state = {
            .filter = next->filter, .identity = identity, .watermark = watermark, .ready = true};
      });
      begun = false;
    }

    MemoryPlace& place;
    const std::shared_ptr<Next> next;
    bool begun = false;  // and not over
  };

  static std::shared_ptr<F> checked(std::shared_ptr<F> filter) {
    if (!filter) throw std::invalid_argument("a filter in memory: no filter was given");
    if constexpr (std::same_as<F, AnyFilter>) {
      require_placeable(filter->parameters(), filter->can_erase());
    } else if constexpr (Filter<F>) {
      require_placeable(filter->parameters(), false);
    }
    return filter;
  }

  static Inserted insert_into(F& filter, Key key) {
    if constexpr (std::same_as<decltype(filter.insert_concurrently(key)), bool>) {
      return filter.insert_concurrently(key) ? Inserted::added : Inserted::present;
    } else {
      filter.insert_concurrently(key);
      return Inserted::unknown;
    }
  }

  // The answer for a key that the filter does not have. The state was read before the bits, which
  // are therefore at least as new as its watermark.
  static Presence missing(const State& state, const CallContext& context) noexcept {
    if (!state.ready) return Presence::unknown;
    if (context.fence == nullptr) return Presence::absent;
    return state.watermark && state.watermark->reaches(context.fence->at_least) ? Presence::absent
                                                                                : Presence::unknown;
  }

  void change(const auto& edit) {
    const std::lock_guard lock(changing_);
    State state = *state_.load();
    edit(state);
    publish(std::move(state));
  }

  // Puts a state in the old one's place; when it returns, no call under way knows the state before.
  void publish(State state) {
    const std::unique_ptr<State> old(state_.exchange(new State(std::move(state))));
    gate_.wait_for_readers();
  }

  ReaderGate gate_;
  std::mutex changing_;
  std::atomic<State*> state_;
};

template <class F>
MemoryPlace(F) -> MemoryPlace<F>;
template <class F>
MemoryPlace(std::shared_ptr<F>) -> MemoryPlace<F>;

}  // namespace bloomery
