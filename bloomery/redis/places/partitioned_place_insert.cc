// SPDX-License-Identifier: Apache-2.0
// How keys come into a filter of several strings: each part's in its own transaction.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "bloomery/redis/client/redirection.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/lines.h"
#include "bloomery/redis/places/own_string.h"
#include "bloomery/redis/places/own_string_insertion.h"
#include "bloomery/redis/places/partitioned_place.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kBitsOfPartsInTrip = 100'000;
// The fewest keys of one partition that are set by an exchange. Fewer are set by a script, in one
// round trip with those of the other partitions.
constexpr std::size_t kKeysOfPartToExchange = 64;

// A trip with all that is asked again for it, part by part: within the time-out of one call.
template <class Trip>
void within_timeout(const Location& location, const CallContext& context, Trip trip) {
  CallContext shorter = context;
  shorter.deadline = std::min(context.deadline, CallContext::Clock::now() + location.timeout);
  try {
    trip(shorter);
  } catch (const CallAborted& why) {
    if (context.is_over()) throw;
    throw TimeoutError(why.what() + std::string(kTimeoutAdvice));
  }
}

}  // namespace

// The state of an insert into all partitions.
struct PartitionsDialect::Inserting {
  const std::vector<Share>& shares;
  InsertCall call = 0;
  const Watermark* next = nullptr;

  // One node has all that is asked: then a trip asks for the index, behind what it inserts.
  bool asks_index = false;
  std::optional<OwnString::Trip> index{};  // as the last trip found it

  std::vector<std::vector<Inserted>> done{shares.size()};
  std::vector<char> has_moved = std::vector<char>(shares.size());
};

// How far the share of one part has come.
struct PartitionsDialect::Progress {
  std::size_t share = 0;
  std::size_t next_key = 0;
  bool is_done = false;
  OwnString::Head old{};  // of one that steps
  OwnString::Insertion trip{};
  bool was_tried = false;  // all that is left, by an exchange
  bool is_elsewhere = false;
};

PartitionsDialect::Progress PartitionsDialect::begin(Inserting& all, std::size_t share,
                                                     const CallContext& context) {
  OwnString& part = *parts_[all.shares[share].part];
  Progress progress{.share = share};
  all.done[share].assign(all.shares[share].keys.size(), Inserted::unknown);
  part.require_not_lost();
  if (all.next == nullptr) return progress;
  const auto last = part.last_head();
  progress.old = last ? part.head_to_step_from(last->place_head(), context) : nullptr;
  progress.is_done = progress.old == nullptr;
  const KeyBits& bits = all.shares[share].bits;
  while (!progress.is_done) {
    auto trip = part.insertion(all.call, bits, progress.next_key, progress.old, *all.next);
    if (!part.exchange(trip, kKeysOfPartToExchange, context)) {
      progress.was_tried = trip.repeated;
      break;
    }
    progress.old = trip.parts.back().next;
    progress.next_key += trip.key_count();
    progress.is_done = progress.next_key == bits.size();
    all.has_moved[share] = static_cast<char>(progress.is_done);
  }
  return progress;
}

std::vector<PartitionsDialect::Progress*> PartitionsDialect::append(
    Request& request, Inserting& all, std::vector<Progress>& progress) {
  std::vector<Progress*> travelling;
  std::size_t bit_count = 0;
  for (Progress& each : progress) {
    if (each.is_done || bit_count >= kBitsOfPartsInTrip) continue;
    const KeyBits& bits = all.shares[each.share].bits;
    OwnString& part = *parts_[all.shares[each.share].part];
    if (travelling.empty()) request.about(part.key()).of_several_slots();
    each.trip = all.next == nullptr
                    ? part.insertion(all.call, bits, each.next_key)
                    : part.insertion(all.call, bits, each.next_key, each.old, *all.next);
    part.append(request, each.trip);
    bit_count += each.trip.bit_count();
    travelling.push_back(&each);
  }
  if (all.asks_index && !travelling.empty()) {
    index_place().append_question(request, all.index.emplace());
  }
  return travelling;
}

bool PartitionsDialect::travel(const Request& request, Inserting& all,
                               const std::vector<Progress*>& travelling,
                               const CallContext& context) {
  bool index_is_elsewhere = false;
  const Answer answer =
      client_->run(request, Repeat::safe, context, [&](std::span<const Reply> replies) {
        for (Progress* const each : travelling) {
          const auto of_part = replies.first(each->trip.reply_count());
          replies = replies.subspan(of_part.size());
          each->is_elsewhere = std::ranges::any_of(of_part, sends_elsewhere);
          if (!each->is_elsewhere) parts_[all.shares[each->share].part]->read(of_part, each->trip);
        }
        if (!all.index) return;
        index_is_elsewhere = std::ranges::any_of(replies, sends_elsewhere);
        if (index_is_elsewhere) return;
        all.index->begin_again();
        index_place().read_question(replies, *all.index);
      });
  // The index has to be asked again: keys whose partition is elsewhere are inserted only now, after
  // this question.
  if (index_is_elsewhere || std::ranges::any_of(travelling, &Progress::is_elsewhere)) {
    all.index.reset();
  }
  return answer.repeated;
}

void PartitionsDialect::settle(Inserting& all, Progress& each, bool was_repeated,
                               const CallContext& context) {
  const Share& share = all.shares[each.share];
  OwnString& part = *parts_[share.part];
  each.trip.repeated = was_repeated || each.was_tried;
  // With all that the client does to find it.
  if (each.is_elsewhere) {
    was_repeated = !part.run(each.trip, context) || was_repeated;
  } else {
    part.settle(each.trip, context);
  }
  each.trip.tell(part.sets_lines(), was_repeated ? Inserted::unknown : Inserted::present,
                 std::span(all.done[each.share]).subspan(each.next_key));
  each.next_key += each.trip.key_count();
  each.is_done = each.next_key == share.bits.size();
  if (all.next == nullptr) return;
  each.old = part.finish_step(each.trip);
  all.has_moved[each.share] = static_cast<char>(each.old != nullptr && each.is_done);
  each.is_done = each.is_done || each.old == nullptr;
}

void PartitionsDialect::insert_at(Inserting& all, const Group& group, const CallContext& context) {
  std::vector<Progress> progress;
  for (const std::size_t share : group) progress.push_back(begin(all, share, context));
  for (;;) {
    Request request;
    const std::vector<Progress*> travelling = append(request, all, progress);
    if (travelling.empty()) return;
    within_timeout(client_->location(), context, [&](const CallContext& shorter) {
      const bool was_repeated = travel(request, all, travelling, shorter);
      // Each is settled, whatever became of the one before.
      std::exception_ptr first_error;
      for (Progress* const each : travelling) {
        try {
          settle(all, *each, was_repeated, shorter);
        } catch (...) {
          if (!first_error) first_error = std::current_exception();
        }
      }
      if (first_error) std::rethrow_exception(first_error);
    });
  }
}

void PartitionsDialect::insert_shares(Inserting& all, const CallContext& context) {
  auto shares = all.shares;
  shares.push_back({.part = part_count()});
  auto groups = groups_of(shares, context);
  all.asks_index = groups.size() == 1;
  for (Group& each : groups) std::erase(each, all.shares.size());
  std::erase_if(groups, [](const Group& each) { return each.empty(); });
  rethrow_first(at_nodes(groups, [&](const Group& group) { insert_at(all, group, context); }));
  if (all.index) index_place().judge(*all.index);
  // Whoever puts another filter there replaces the index first, and takes the parts away later.
  if (!all.index || OwnString::has_lost(*all.index, {})) require_index(context);
}

std::size_t PartitionsDialect::insert(InsertCall call, std::span<const Key> keys,
                                      std::span<Inserted> outcomes, const CallContext& context) {
  keys = keys.first(std::min(keys.size(), kKeysInBatch));
  const auto shares = shares_of(keys);
  Inserting all{.shares = shares, .call = call};
  insert_shares(all, context);
  if (outcomes.empty()) return keys.size();
  std::fill_n(outcomes.begin(), keys.size(), Inserted::present);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    for (std::size_t k = 0; k < shares[i].keys.size(); ++k) {
      Inserted& outcome = outcomes[shares[i].keys[k]];
      const Inserted in_part = all.done[i][k];
      if (outcome == Inserted::added || in_part == Inserted::added) {
        outcome = Inserted::added;
      } else if (in_part == Inserted::unknown) {
        outcome = Inserted::unknown;
      }
    }
  }
  return keys.size();
}

bool PartitionsDialect::step(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                             const CallContext& context) {
  const auto is_expected = [&](const PlaceHead& now) {
    return now.identity == head.identity && now.watermark == head.watermark &&
           now.beat == head.beat;
  };
  PlaceHead now;
  if (!combine(now) || !is_expected(now)) {
    rethrow_first(read_heads(context));
    if (!combine(now)) return false;
  }
  if (!is_expected(now)) return false;
  // Each part moves, also those of which no key is new.
  auto shares = all_parts();
  for (Share& each : shares_of(keys)) {
    each.bits = sorted(each.bits);
    shares[each.part] = std::move(each);
  }
  Inserting all{.shares = shares, .call = next_insert_call(), .next = &next};
  insert_shares(all, context);
  if (std::ranges::find(all.has_moved, 0) != all.has_moved.end()) return false;
  return combine(head);
}

}  // namespace bloomery::redis
