// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "bloomery/place/filter_place.h"

namespace bloomery {

// A filter that is believed as long as it is the very one that was there when its user opened it,
// as the clients of the guard in other languages believe theirs: one that was lost and made anew,
// or exchanged, denies nothing until reopen(). By opening, the user says that it is whole. So it is
// for filters that may be made anew by others with keys missing; where a follower exchanges the
// filter, open the place alone.
//
// `bloom:` and `bitmap:` places say with each answer which filter it is of; a `bf:` place looks for
// markers by itself. All calls may run together.
class OpenedFilter final : public FilterPlace {
 public:
  // Makes a place, or throws.
  using Open = std::function<std::unique_ptr<FilterPlace>()>;

  // Opens it. Where that fails with a StoreError, or there is no filter, all is unknown until
  // reopen(). `name` is for messages until then.
  OpenedFilter(std::string name, Open open);

  // Throws what opening throws, and StoreError where there is no filter: then all is as before.
  void reopen(const CallContext& context = {});

  std::string name() const override;
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  Presence ask_one(Key key, Proofs& proofs, const CallContext& context = {}) override;
  using FilterPlace::insert_many;
  // Into whichever filter is there. Throws StoreError where there is none.
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context = {}) override;
  PlaceHead head(const CallContext& context = {}) override;

 private:
  struct Opened {
    std::unique_ptr<FilterPlace> place;
    Proofs proofs{};  // of the opening; empty: the place looks by itself
  };

  std::shared_ptr<const Opened> opened() const;
  std::shared_ptr<const Opened> open(const CallContext& context) const;

  const std::string name_;
  const Open open_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Opened> opened_{};  // null: it could not be
};

}  // namespace bloomery
