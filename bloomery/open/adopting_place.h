// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/bits/per_process.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/place/followed_filter.h"
#include "bloomery/place/reader_gate.h"

namespace bloomery {

// A place that others may exchange: by a rebuild, whatever its size, by a load, by a file put in
// its stead. What is open stays with the filter that it was opened for, and says `unknown`; this
// opens the place anew and goes on with what is there now, once there is proof that it is whole:
// its watermark has come to the fence of a question. Without a fence nothing proves that, and all
// stays `unknown`. So it does where the keys of what is there are written in another form: to who
// asks in the old one it would deny them all.
//
// The place looks where a question behind a fence would stay `unknown`, for one thread, some times
// a second; the others are answered as before. Whoever asks meanwhile is answered by the old
// filter.
class AdoptingPlace final : public FollowedFilter {
 public:
  using Open = std::function<std::unique_ptr<FilterPlace>()>;

  // `heads_move`: what head() says is read anew each time, as from a server; that of a mapped file
  // is of when it was mapped.
  // `keys_as_said` is PlaceOptions'.
  AdoptingPlace(std::unique_ptr<FilterPlace> opened, Open open, bool heads_move,
                bool keys_as_said = false);
  // Must not run beside another call.
  ~AdoptingPlace() override;

  std::string name() const override { return name_; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  Presence ask_one(Key key, Proofs& proofs, const CallContext& context = {}) override;
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context = {}) override;
  void flush(const CallContext& context) override;
  PlaceHead head(const CallContext& context = {}) override;
  AnyFilter copy(const CallContext& context = {}) override;
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context = {}) override;
  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext& context = {}) override;
  void destroy(const CallContext& context = {}) override;

 private:
  // Opened: never changed, only replaced.
  struct Opened {
    std::shared_ptr<FilterPlace> place;
    Identity identity{};
    std::optional<KeyForm> keys{};  // nothing: it was in doubt
    std::uint64_t adoptions = 0;    // before
  };

  // State of this process alone: after fork() the parent's threads do not run in the child.
  struct Mine {
    std::mutex looking{};
    CallContext::Clock::time_point look_again_at{};  // under that lock
    ReaderGate gate{};
  };

  auto with(auto&& call) const {
    const auto pass = mine_.get().gate.enter();
    return call(*opened_.load()->place);
  }
  // A question's opening, and whether the form of its keys was known.
  struct Asked {
    std::uint64_t adoptions = 0;
    bool knows_form = false;
  };
  Asked ask_opened(auto&& call) const {
    const auto pass = mine_.get().gate.enter();
    const Opened& opened = *opened_.load();
    call(*opened.place);
    return {opened.adoptions, opened.keys.has_value()};
  }
  void require_keys_of(const Opened& opened, std::span<const Key> keys) const;
  void settle_form(const Asked& asked, std::span<Presence> answers, const CallContext& context);
  std::shared_ptr<FilterPlace> now() const;
  void look(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
            const CallContext& context);
  bool may_be_another(const Fence& fence, const CallContext& context) const;

  const std::string name_;
  const Open open_;
  const bool heads_move_;
  const bool keys_as_said_;
  const std::shared_ptr<std::atomic<int>> rebuilds_ = std::make_shared<std::atomic<int>>(0);
  mutable PerProcess<Mine> mine_;
  std::atomic<const Opened*> opened_;
};

}  // namespace bloomery
