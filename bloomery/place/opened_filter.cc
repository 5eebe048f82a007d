// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/opened_filter.h"

#include <algorithm>
#include <utility>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

// Returns whether every answer is of a filter that was there at the opening.
bool are_of(const Proofs& opened, const Proofs& proofs) {
  if (opened.is_empty()) return true;
  return !proofs.is_empty() && std::ranges::all_of(proofs.all(), [&](const Proof& each) {
    return each.filter != 0 && std::ranges::any_of(opened.all(), [&](const Proof& first) {
             return first.part == each.part && first.filter == each.filter;
           });
  });
}

}  // namespace

OpenedFilter::OpenedFilter(std::string name, Open open)
    : name_(std::move(name)), open_(std::move(open)) {
  try {
    reopen();
  } catch (const StoreError&) {
    // The place's user opens the filter when it is there.
  }
}

std::shared_ptr<const OpenedFilter::Opened> OpenedFilter::open(const CallContext& context) const {
  auto made = std::make_shared<Opened>(Opened{.place = open_()});
  made->place->ask({}, {}, made->proofs, context);
  const auto is_unknown = [](const Proof& each) { return each.filter == 0; };
  if (std::ranges::any_of(made->proofs.all(), is_unknown)) {
    throw StoreError(made->place->name() + ": there is no filter, or none that says which it is");
  }
  return made;
}

void OpenedFilter::reopen(const CallContext& context) {
  auto made = open(context);
  const std::lock_guard lock(mutex_);
  opened_ = std::move(made);
}

std::shared_ptr<const OpenedFilter::Opened> OpenedFilter::opened() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

std::string OpenedFilter::name() const {
  const auto now = opened();
  return now ? now->place->name() : name_;
}

void OpenedFilter::ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                       const CallContext& context) {
  require_room(keys, std::span<const Presence>(answers));
  require_fence(context);
  const auto now = opened();
  if (!now) return;
  Proofs given;
  now->place->ask(keys, answers, given, context);
  if (!are_of(now->proofs, given)) {
    std::ranges::replace(answers, Presence::absent, Presence::unknown);
  }
  proofs.add(given);
}

Presence OpenedFilter::ask_one(Key key, Proofs& proofs, const CallContext& context) {
  require_fence(context);
  const auto now = opened();
  if (!now) return Presence::unknown;
  Proofs given;
  const Presence said = now->place->ask_one(key, given, context);
  proofs.add(given);
  return said == Presence::absent && !are_of(now->proofs, given) ? Presence::unknown : said;
}

void OpenedFilter::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                               const CallContext& context) {
  const auto now = opened();
  // Not the one that is believed from here on: only its user says when that is whole.
  const std::shared_ptr<const Opened> place = now ? now : open(context);
  place->place->insert_many(keys, outcomes, context);
}

PlaceHead OpenedFilter::head(const CallContext& context) {
  const auto now = opened();
  if (!now) throw StoreError(name_ + ": no filter could be opened there");
  return now->place->head(context);
}

}  // namespace bloomery
