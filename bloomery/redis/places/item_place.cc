// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/item_place.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/item_deltas.h"
#include "bloomery/redis/places/item_keys.h"
#include "bloomery/redis/places/set_bits.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kItemsInTrip = 10'000;

// The number behind a name, in what BF.INFO says.
std::optional<std::uint64_t> number_in(const Reply& info, std::string_view name) {
  for (std::size_t i = 0; i + 1 < info.elements.size(); i += 2) {
    const Reply& value = info.elements[i + 1];
    if (info.elements[i].text == name && value.is(Reply::Type::number) && value.number >= 0) {
      return static_cast<std::uint64_t>(value.number);
    }
  }
  return std::nullopt;
}

}  // namespace

// A round trip: how it was asked, and its replies.
struct ItemDialect::Trip {
  std::string doubt{};
  std::string nonce = next_nonce();
  std::size_t key_count = 0;
  std::size_t unit_count = 0;    // between MULTI and EXEC
  std::vector<bool> known{};     // of the items that were known
  std::vector<bool> answers{};   // of the keys: there, or new
  std::uint64_t item_count = 0;  // as the server counts
  Reply info{};
  bool is_there = true;
  bool is_primary = true;
  bool repeated = false;
  bool is_fenced = false;    // the fence was asked with the items
  bool has_reached = false;  // and the watermark is there
  bool tells = false;        // the watermark was asked with them
  FilterNow now{};
  bool is_step = false;  // of the watermark
  bool has_stepped = false;
};

ItemDialect::ItemDialect(std::unique_ptr<Client> client, Setup setup)
    : ServerDialect(setup.name),
      client_(std::move(client)),
      setup_(std::move(setup)),
      tells_watermark_(setup_.tells_watermark),
      known_(setup_.markers),
      filter_(setup_.name, setup_.may_forget, setup_.described) {}

std::optional<AnyFilter> ItemDialect::copy(const CallContext& context) {
  if (setup_.dialect == Dialect::bf) return std::nullopt;
  auto whole = read_items(*client_, name(), std::numeric_limits<std::uint64_t>::max(), context);
  if (!whole) return std::nullopt;
  if (context.fence != nullptr &&
      !(whole->reached && whole->reached->reaches(context.fence->at_least))) {
    fail("its filter does not have all keys up to the fence yet");
  }
  return std::move(whole->filter);
}

ItemDialect::Trip ItemDialect::travel(std::span<const Key> keys, bool inserts,
                                      const CallContext& context,
                                      std::span<const std::string> step) {
  const bool asked_for_it = tells_watermark_ && step.empty();
  try {
    return travel_once(keys, inserts, context, step);
  } catch (const RefusedError&) {
    // A server may have gone back to an older module, which knows no such question, and does
    // nothing of what came with it.
    if (!asked_for_it) throw;
    ask_info(context);
    if (tells_watermark_) throw;
  }
  return travel_once(keys, inserts, context, step);
}

ItemDialect::Trip ItemDialect::travel_once(std::span<const Key> keys, bool inserts,
                                           const CallContext& context,
                                           std::span<const std::string> step) {
  KnownItems::Known known = known_.known();
  const bool is_bf = setup_.dialect == Dialect::bf;
  const std::string& key = client_->location().key;
  Trip trip;
  keys = keys.first(std::min(keys.size(), kItemsInTrip));
  trip.key_count = keys.size();
  // The commands take no empty list.
  static const std::string kNobody = "?";
  std::vector<std::string_view> asked{is_bf ? "BF.MEXISTS" : "BLOOM.CHECK", key};
  std::string source;
  std::string position;
  trip.is_fenced = !inserts && !is_bf && context.fence != nullptr;
  if (trip.is_fenced) {
    source = identity_text(context.fence->at_least.source);
    position = std::to_string(context.fence->at_least.position);
    asked.insert(asked.end(), {"FENCE", source, position});
  }
  asked.push_back(kNobody);
  asked.insert(asked.end(), known.items.begin(), known.items.end());
  if (!inserts) asked.insert(asked.end(), keys.begin(), keys.end());
  Request request;
  begin_transaction(request, trip.nonce);
  // BF.INFO is sent for filters of our module, too: BLOOM.INFO reads bits.
  request.add({"BF.INFO", key}).add(asked);
  trip.unit_count = 4;
  // BLOOM.INFO key WATERMARK, of our module alone, says with the watermark which filter it is.
  if (tells_watermark_ && step.empty()) {
    request.add({"BLOOM.INFO", key, "WATERMARK"});
    trip.tells = true;
    ++trip.unit_count;
  }
  if (inserts) {
    std::vector<std::string_view> added =
        is_bf ? std::vector<std::string_view>{"BF.INSERT", key, "NOCREATE", "ITEMS"}
              : std::vector<std::string_view>{"BLOOM.MADD", key};
    if (!step.empty()) {
      added.assign(step.begin(), step.end());
      if (!keys.empty()) added.push_back("ITEMS");
    }
    added.insert(added.end(), keys.begin(), keys.end());
    request.add(added);
    trip.is_step = !step.empty();
    ++trip.unit_count;
  }
  request.add({"EXEC"});
  const Trip empty = trip;
  const Answer answer =
      client_->run(request, Repeat::safe, context, [&](std::span<const Reply> replies) {
        trip = empty;
        read(replies, known, trip);
      });
  trip.repeated = answer.repeated;
  if (!trip.is_there) filter_.lose();
  if (!trip.is_primary) client_->suspect(key);
  if (trip.doubt.empty()) trip.doubt = known_.judge(known, trip.known, trip.item_count);
  return trip;
}

void ItemDialect::read(std::span<const Reply> replies, const KnownItems::Known& known,
                       Trip& trip) const {
  const auto& all = read_exec(replies, trip.unit_count, trip.nonce, setup_.name);
  for (const Reply& reply : all) {
    if (!reply.is(Reply::Type::error)) continue;
    trip.doubt = RefusedError("the server says", reply.text).what();
    trip.is_there = false;
    return;
  }
  trip.doubt = role_doubt(all[1], client_->location().allow_replica, setup_.name);
  trip.is_primary = trip.doubt.empty();
  trip.info = all[2];
  trip.item_count = number_in(trip.info, "Number of items inserted").value_or(0);
  const Reply& asked = all[3];
  if (asked.is(Reply::Type::nil)) {
    trip.doubt = "no filter is there";
    trip.is_there = false;
    return;
  }
  const std::size_t added = trip.tells ? 5 : 4;  // the place of that reply
  const bool inserts = trip.unit_count > added;
  if (trip.tells) trip.now = filter_now(all[4], setup_.name);
  const std::size_t before = 1 + known.items.size();
  std::vector<bool> found =
      item_flags(asked, before + (inserts ? 0 : trip.key_count), setup_.name, trip.is_fenced);
  // All that are not there are nil, or none is.
  trip.has_reached = std::ranges::none_of(
      asked.elements, [](const Reply& each) { return each.is(Reply::Type::nil); });
  trip.known.assign(found.begin() + 1, found.begin() + static_cast<std::ptrdiff_t>(before));
  trip.answers.assign(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
  if (trip.is_step) {
    const Reply& stepped = all[added];
    if (!stepped.is(Reply::Type::number)) fail_answer(setup_.name, "its step");
    trip.has_stepped = stepped.number == 1;
  } else if (inserts) {
    trip.answers = item_flags(all[added], trip.key_count, setup_.name);
  }
}

std::size_t ItemDialect::ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                             const CallContext& context) {
  const Trip trip = travel(keys, false, context);
  if (trip.tells || context.fence != nullptr || keys.empty()) prove(trip, proofs, context);
  const bool is_behind = context.fence == nullptr || (trip.is_fenced && trip.has_reached);
  const bool is_whole = trip.doubt.empty();
  const auto what = is_whole ? described(trip, context) : std::nullopt;
  const bool may_say_no =
      setup_.says_absent && is_behind && what.has_value() && filter_.objection(*what).empty();
  for (std::size_t i = 0; i < trip.answers.size(); ++i) {
    if (!trip.answers[i]) {
      answers[i] = may_say_no ? Presence::absent : Presence::unknown;
      continue;
    }
    answers[i] = Presence::maybe;
    if (i == 0 && what && !what->forgets) known_.learn(keys.first(1), false);
  }
  return trip.key_count;
}

std::size_t ItemDialect::insert(InsertCall, std::span<const Key> keys, std::span<Inserted> outcomes,
                                const CallContext& context) {
  auto what = described(context);
  if (what && !filter_.objection(*what).empty()) what = learn(context);
  const auto require = [&](const std::string& doubt) {
    if (!doubt.empty()) fail(doubt);
  };
  if (what) require(filter_.objection(*what));
  const Trip trip = travel(keys, true, context);
  require(trip.doubt);
  // Describes the filter that has the keys now.
  what = described(trip, context);
  require(what ? filter_.objection(*what) : "another filter has taken its place");
  if (!what->forgets) known_.learn(keys.first(trip.key_count), true);
  for (std::size_t i = 0; i < std::min(trip.key_count, outcomes.size()); ++i) {
    const Inserted old = trip.repeated ? Inserted::unknown : Inserted::present;
    outcomes[i] = trip.answers[i] ? Inserted::added : old;
  }
  return trip.key_count;
}

PlaceHead ItemDialect::head(const CallContext& context) {
  const Trip trip = travel({}, false, context);
  if (!trip.doubt.empty()) fail(trip.doubt);
  PlaceHead head{.inserted = trip.item_count,
                 .no_absent = setup_.says_absent ? NoAbsent::none : NoAbsent::without_markers};
  std::optional<ItemDescription> what;
  if (setup_.dialect == Dialect::bloom) {
    // Identity, watermark and beat are of one moment.
    const std::uint64_t losses = filter_.losses();
    const Answer answer = ask_info(context);
    const Reply& info = require_done(answer.replies.at(0), client_->location());
    what = filter_.learn(info, losses);
    add_watermark(head, info);
  } else {
    what = described(trip, context);
  }
  if (!what) fail("no filter is there");
  if (const std::string why = filter_.objection(*what); !why.empty()) fail(why);
  head.parameters.kind = what->kind;
  head.parameters.keys = what->keys;
  head.parameters.false_positive_rate = what->false_positive_rate;
  head.parameters.capacity = number_in(trip.info, "Capacity").value_or(0);
  head.parameters.geometry.bit_count = 8 * number_in(trip.info, "Size").value_or(0);
  return head;
}

void ItemDialect::prove(const Trip& trip, Proofs& proofs, const CallContext& context) {
  if (setup_.dialect != Dialect::bloom || !trip.doubt.empty()) return;
  if (trip.tells) {
    return proofs.add({.filter = numbers_.of(trip.now.filter), .watermark = trip.now.reached});
  }
  PlaceHead head;
  add_watermark(head, require_done(ask_info(context).replies.at(0), client_->location()));
  proofs.add({.filter = numbers_.of(head.identity), .watermark = head.watermark});
}

std::optional<ItemDescription> ItemDialect::described(const CallContext& context) {
  const auto now = filter_.now();
  return now ? now : learn(context);
}

std::optional<ItemDescription> ItemDialect::described(const Trip& trip,
                                                      const CallContext& context) {
  const auto is_of_it = [&](const std::optional<ItemDescription>& what) {
    return what && (!trip.tells || what->identity == trip.now.filter);
  };
  auto what = described(context);
  if (!is_of_it(what)) what = learn(context);
  return is_of_it(what) ? what : std::nullopt;
}

std::optional<ItemDescription> ItemDialect::learn(const CallContext& context) {
  const std::uint64_t losses = filter_.losses();
  const Answer answer = ask_info(context);
  return filter_.learn(answer.replies.at(0), losses);
}

// Asks BLOOM.INFO, and learns which module the server has by now.
Answer ItemDialect::ask_info(const CallContext& context) {
  const std::string& key = client_->location().key;
  Request request;
  request.add({"BLOOM.INFO", key}).add({"BLOOM.INFO", key, "WATERMARK"}).about(key);
  Answer answer = client_->run(request, Repeat::safe, context);
  tells_watermark_ = knows_watermark(answer.replies.at(1));
  return answer;
}

void ItemDialect::add_watermark(PlaceHead& head, const Reply& info) const {
  Identity source;
  std::uint64_t position = 0;
  for (std::size_t i = 0; i + 1 < info.elements.size(); i += 2) {
    const std::string& name = info.elements[i].text;
    const Reply& value = info.elements[i + 1];
    if (name == "Identity") head.identity = identity_in(value, setup_.name);
    if (name == "Watermark source") source = identity_in(value, setup_.name);
    // Positions above 2^63 come as negative numbers.
    if (name == "Watermark") position = static_cast<std::uint64_t>(value.number);
    if (name == "Beat") head.beat = static_cast<std::uint64_t>(value.number);
  }
  if (source.is_set()) head.watermark = Watermark{source, position};
}

void ItemDialect::require_watermark(const CallContext& context) {
  const auto what = setup_.dialect == Dialect::bloom ? described(context) : std::nullopt;
  const bool has_none = what && !what->has_watermark();
  if (setup_.dialect != Dialect::bloom || has_none) refuse("has no watermark");
}

bool ItemDialect::step(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                       const CallContext& context) {
  if (!head.identity.is_set()) {
    refuse("its filter has no identity: bloomery push or BLOOM.RESERVE makes one that has");
  }
  do {
    const std::span<const Key> part = keys.first(std::min(keys.size(), kItemsInTrip));
    keys = keys.subspan(part.size());
    const auto to = keys.empty() ? std::optional(next) : head.watermark;
    const bool takes_steps = tells_watermark_;
    const std::uint64_t by = takes_steps ? random_step() : 1;
    std::vector<std::string> step{"BLOOM.ADVANCE", client_->location().key,
                                  "EPOCH",         identity_text(head.identity),
                                  "BEAT",          std::to_string(head.beat)};
    if (takes_steps) step.insert(step.end(), {"BY", std::to_string(by)});
    step.insert(step.end(), {"FROM", watermark_text(head.watermark), "TO", watermark_text(to)});
    const Trip trip = travel(part, true, context, step);
    if (!trip.doubt.empty()) {
      ask_info(
          context);  // an older module takes no such step; who tries again takes one that it does
      fail(trip.doubt);
    }
    if (!trip.has_stepped) return false;
    known_.learn(part, true);
    head.watermark = to;
    head.beat += by;
  } while (!keys.empty());
  return true;
}

void ItemDialect::destroy() {
  destroy_items(*client_);
}

}  // namespace bloomery::redis
