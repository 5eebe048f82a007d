#include "bloomery/redis/partitioned_place.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/bulk/run_threads.h"
#include "bloomery/redis/errors.h"
#include "bloomery/redis/lines.h"
#include "bloomery/redis/native_insertion.h"
#include "bloomery/redis/native_trip.h"
#include "bloomery/redis/partition_keys.h"
#include "bloomery/redis/redirection.h"
#include "bloomery/redis/run_reading.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kKeysInBatch = 10'000;
constexpr std::size_t kBitsOfPartsInTrip = 100'000;
// Of one part: fewer are set by a script, in one trip with those of the other parts.
constexpr std::size_t kKeysOfPartToExchange = 64;

void rethrow_first(const std::vector<std::exception_ptr>& errors) {
  for (const auto& each : errors) {
    if (each) std::rethrow_exception(each);
  }
}

struct Damage {
  std::size_t away = 0;  // nodes that do not answer
  bool is_lost = false;  // a part is gone, or another filter's
};

// Rethrows what else went wrong.
Damage damage_of(const std::vector<std::exception_ptr>& errors) {
  Damage damage;
  for (const auto& each : errors) {
    try {
      if (each) std::rethrow_exception(each);
    } catch (const ConnectionError&) {
      ++damage.away;
    } catch (const RefusedError&) {
      throw;
    } catch (const StoreError&) {
      damage.is_lost = true;
    }
  }
  return damage;
}

// Of what was said of a key's lines.
Presence both(Presence a, Presence b) noexcept {
  if (a == Presence::absent || b == Presence::absent) return Presence::absent;
  return a == Presence::unknown ? a : b;
}

NativeBitmapHead head_of_part(NativeBitmapHead index, std::uint32_t part) {
  index.header.part->index = part;
  index.header.layout = FileLayout::of(static_cast<std::uint16_t>(index.header.layout.field_bytes),
                                       index.header.part->body_bits());
  return index;
}

}  // namespace

PartitionedPlace::PartitionedPlace(std::shared_ptr<Client> client, std::string name,
                                   const NativeBitmapHead& index, bool writes)
    : client_(std::move(client)),
      key_(client_->location().key),
      name_(std::move(name)),
      writes_(writes),
      index_(index),
      positions_(native_positions(index.header.contents.parameters)),
      gathered_(*this, client_->location()) {
  const std::uint32_t count = index.header.part->count;
  parts_.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    parts_.push_back(std::make_unique<NativePlace>(client_, partition_key(key_, i, count),
                                                   name_ + " (partition " + std::to_string(i) + ")",
                                                   head_of_part(index, i), writes));
  }
}

FilePart PartitionedPlace::part_number(std::uint32_t index) const noexcept {
  FilePart part = *index_.header.part;
  part.index = index;
  return part;
}

std::vector<PartitionedPlace::Share> PartitionedPlace::shares_of(std::span<const Key> keys) const {
  const FilePart& whole = *index_.header.part;
  std::vector<Share> shares;
  std::unordered_map<std::uint32_t, std::size_t> share_of;
  std::vector<std::uint64_t> positions;
  for (std::size_t key = 0; key < keys.size(); ++key) {
    positions.clear();
    positions_(keys[key], positions);
    for (const std::uint64_t position : positions) {
      const std::uint32_t part = whole.part_of(position);
      const auto [found, is_new] = share_of.try_emplace(part, shares.size());
      if (is_new) shares.push_back({.part = part});
      Share& share = shares[found->second];
      share.bits.positions.push_back(position - part_number(part).bit_begin());
      if (share.keys.empty() || share.keys.back() != key) {
        share.keys.push_back(key);
        share.bits.ends.push_back(0);
      }
      share.bits.ends.back() = share.bits.positions.size();
    }
  }
  return shares;
}

std::vector<PartitionedPlace::Share> PartitionedPlace::all_parts() const {
  std::vector<Share> shares(parts_.size());
  for (std::uint32_t i = 0; i < shares.size(); ++i) shares[i].part = i;
  return shares;
}

std::vector<PartitionedPlace::Group> PartitionedPlace::groups_of(const std::vector<Share>& shares,
                                                                 const CallContext& context) {
  std::vector<std::string_view> keys;
  keys.reserve(shares.size());
  for (const Share& each : shares) keys.push_back(parts_[each.part]->key_);
  const std::vector<std::size_t> nodes = client_->nodes_of(keys, context);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (nodes[i] >= groups.size()) groups.resize(nodes[i] + 1);
    groups[nodes[i]].push_back(i);
  }
  return groups;
}

std::vector<std::exception_ptr> PartitionedPlace::at_nodes(
    const std::vector<Group>& groups, const std::function<void(const Group&)>& work) {
  std::vector<std::exception_ptr> errors(groups.size());
  if (groups.empty()) return errors;
  run_threads(groups.size(), [&](std::size_t i) noexcept {
    try {
      work(groups[i]);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  return errors;
}

// All shares of a node in one trip. Those that are elsewhere by now are asked each for itself, with
// all that the client does to find them.
void PartitionedPlace::ask(const std::vector<Share>& shares, const Group& group,
                           const CallContext& context, const Visit& visit) {
  std::vector<NativePlace::Trip> trips(group.size());
  std::vector<std::size_t> sizes(group.size());
  std::vector<bool> is_elsewhere(group.size());
  Request request;
  request.about(parts_[shares[group.front()].part]->key_).of_several_slots();
  for (std::size_t i = 0; i < group.size(); ++i) {
    trips[i].bits = shares[group[i]].bits;
    const std::size_t before = request.size();
    parts_[shares[group[i]].part]->append_question(request, trips[i]);
    sizes[i] = request.size() - before;
  }
  run_reading(*client_, request, context, [&](std::span<const Reply> replies) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto of_part = replies.first(sizes[i]);
      replies = replies.subspan(sizes[i]);
      is_elsewhere[i] = std::ranges::any_of(of_part, sends_elsewhere);
      if (is_elsewhere[i]) continue;
      trips[i].begin_again();
      parts_[shares[group[i]].part]->read_question(of_part, trips[i]);
    }
  });
  for (std::size_t i = 0; i < group.size(); ++i) {
    NativePlace& part = *parts_[shares[group[i]].part];
    if (is_elsewhere[i] || part.has_grown(trips[i])) {
      trips[i] = part.ask(std::move(trips[i].bits), context);
    } else {
      part.judge(trips[i]);
    }
    visit(group[i], part, trips[i]);
  }
}

void PartitionedPlace::presence_of_many(std::span<const Key> keys, std::span<Presence> answers,
                                        const CallContext& context) {
  for (std::size_t at = 0; at < keys.size(); at += kKeysInBatch) {
    const std::size_t count = std::min(kKeysInBatch, keys.size() - at);
    const auto shares = shares_of(keys.subspan(at, count));
    const auto groups = groups_of(shares, context);
    std::vector<std::vector<Presence>> said(shares.size());
    const auto errors = at_nodes(groups, [&](const Group& group) {
      ask(shares, group, context,
          [&](std::size_t i, NativePlace& part, const NativePlace::Trip& trip) {
            said[i].assign(shares[i].keys.size(), Presence::unknown);
            part.answer(trip, said[i], context);
          });
    });
    if (std::ranges::all_of(errors, [](const auto& each) { return each != nullptr; })) {
      rethrow_first(errors);
    }
    std::fill_n(answers.begin() + static_cast<std::ptrdiff_t>(at), count, Presence::maybe);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      for (std::size_t k = 0; k < shares[i].keys.size(); ++k) {
        Presence& answer = answers[at + shares[i].keys[k]];
        answer = both(answer, said[i].empty() ? Presence::unknown : said[i][k]);
      }
    }
  }
}

// What an insert does in all parts.
struct PartitionedPlace::Inserting {
  const std::vector<Share>& shares;
  const Watermark* next = nullptr;

  std::vector<std::vector<Inserted>> done{shares.size()};
  std::vector<char> has_moved = std::vector<char>(shares.size());
};

void PartitionedPlace::insert_at(Inserting& all, const Group& group, const CallContext& context) {
  struct Progress {
    std::size_t share = 0;
    std::size_t next_key = 0;
    bool is_done = false;
    NativePlace::Head old{};  // of one that steps
    NativePlace::Insertion trip{};
    bool is_elsewhere = false;
  };
  std::vector<Progress> progress;
  for (const std::size_t i : group) {
    NativePlace& part = *parts_[all.shares[i].part];
    Progress& each = progress.emplace_back();
    each.share = i;
    all.done[i].assign(all.shares[i].keys.size(), Inserted::unknown);
    if (const auto lost = part.lost_.verdict()) part.fail(*lost);
    if (all.next == nullptr) continue;
    const auto last = part.last_head();
    each.old = last ? part.head_to_step_from(last->place_head(), context) : nullptr;
    each.is_done = each.old == nullptr;
    // They travel by themselves.
    const KeyBits& bits = all.shares[i].bits;
    while (!each.is_done) {
      const auto trip = part.insertion(bits, each.next_key, each.old, *all.next);
      if (!part.exchange(trip, kKeysOfPartToExchange, context)) break;
      each.old = trip.parts.back().next;
      each.next_key += trip.key_count();
      each.is_done = each.next_key == bits.size();
      all.has_moved[i] = static_cast<char>(each.is_done);
    }
  }
  for (;;) {
    Request request;
    std::vector<Progress*> travelling;
    std::size_t bit_count = 0;
    for (Progress& each : progress) {
      if (each.is_done || bit_count >= kBitsOfPartsInTrip) continue;
      const Share& share = all.shares[each.share];
      NativePlace& part = *parts_[share.part];
      if (travelling.empty()) request.about(part.key_).of_several_slots();
      each.trip = all.next == nullptr
                      ? part.insertion(share.bits, each.next_key)
                      : part.insertion(share.bits, each.next_key, each.old, *all.next);
      part.append(request, each.trip);
      bit_count += each.trip.bit_count();
      travelling.push_back(&each);
    }
    if (travelling.empty()) return;
    const Answer answer =
        client_->run(request, Repeat::safe, context, [&](std::span<const Reply> replies) {
          for (Progress* const each : travelling) {
            const auto of_part = replies.first(each->trip.reply_count());
            replies = replies.subspan(of_part.size());
            each->is_elsewhere = std::ranges::any_of(of_part, sends_elsewhere);
            if (!each->is_elsewhere)
              parts_[all.shares[each->share].part]->read(of_part, each->trip);
          }
        });
    // Each is settled, whatever became of the one before.
    std::exception_ptr first_error;
    for (Progress* const each : travelling) {
      try {
        const Share& share = all.shares[each->share];
        NativePlace& part = *parts_[share.part];
        bool was_repeated = answer.repeated;
        // With all that the client does to find it.
        if (each->is_elsewhere) {
          was_repeated = !part.run(each->trip, context) || was_repeated;
        } else {
          part.settle(each->trip, context);
        }
        each->trip.tell(part.sets_lines(), was_repeated ? Inserted::unknown : Inserted::present,
                        std::span(all.done[each->share]).subspan(each->next_key));
        each->next_key += each->trip.key_count();
        each->is_done = each->next_key == share.bits.size();
        if (all.next == nullptr) continue;
        each->old = part.finish_step(each->trip);
        all.has_moved[each->share] = static_cast<char>(each->old != nullptr && each->is_done);
        each->is_done = each->is_done || each->old == nullptr;
      } catch (...) {
        if (!first_error) first_error = std::current_exception();
      }
    }
    if (first_error) std::rethrow_exception(first_error);
  }
}

void PartitionedPlace::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                                   const CallContext& context) {
  if (!writes_) refuse("is open for reading only");
  for (std::size_t at = 0; at < keys.size(); at += kKeysInBatch) {
    const std::size_t count = std::min(kKeysInBatch, keys.size() - at);
    const auto shares = shares_of(keys.subspan(at, count));
    Inserting all{.shares = shares};
    rethrow_first(at_nodes(groups_of(shares, context),
                           [&](const Group& group) { insert_at(all, group, context); }));
    const auto& done = all.done;
    if (outcomes.empty()) continue;
    std::fill_n(outcomes.begin() + static_cast<std::ptrdiff_t>(at), count, Inserted::present);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      for (std::size_t k = 0; k < shares[i].keys.size(); ++k) {
        Inserted& outcome = outcomes[at + shares[i].keys[k]];
        if (outcome == Inserted::added || done[i][k] == Inserted::added) {
          outcome = Inserted::added;
        } else if (done[i][k] == Inserted::unknown) {
          outcome = Inserted::unknown;
        }
      }
    }
  }
}

std::vector<std::exception_ptr> PartitionedPlace::read_heads(const CallContext& context) {
  const auto shares = all_parts();
  return at_nodes(groups_of(shares, context), [&](const Group& group) {
    ask(shares, group, context,
        [](std::size_t, const NativePlace& part, const NativePlace::Trip& trip) {
          part.require_sure(trip);
        });
  });
}

bool PartitionedPlace::combine(PlaceHead& head) const {
  head = index_.place_head();
  head.watermark.reset();
  head.beat = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto last = parts_[i]->last_head();
    if (!last || last->header.notes.identity != head.identity) return false;
    const PlaceHead of_part = last->place_head();
    head.beat += of_part.beat;
    head.inserted = std::max(head.inserted, of_part.inserted);
    if (i == 0) {
      head.watermark = of_part.watermark;
    } else if (head.watermark && of_part.watermark &&
               head.watermark->source == of_part.watermark->source) {
      head.watermark->position = std::min(head.watermark->position, of_part.watermark->position);
    } else {
      head.watermark.reset();
    }
  }
  return true;
}

PlaceHead PartitionedPlace::head(const CallContext& context) {
  const auto errors = read_heads(context);
  const Damage damage = damage_of(errors);
  // Who writes would take a node that comes back for one that has lost its parts.
  if (damage.away > 0 && (writes_ || damage.away == errors.size())) rethrow_first(errors);
  PlaceHead head;
  if (damage.away == 0 && !damage.is_lost && combine(head)) return head;
  if (damage.away == 0 && !writes_) {
    rethrow_first(errors);
    throw StoreError(name_ + ": it changed while its heads were read");
  }
  // Nobody can say how far all of it is; who follows makes it anew.
  head = index_.place_head();
  head.watermark.reset();
  return head;
}

std::vector<Watermark> PartitionedPlace::watermarks(const CallContext& context) {
  const auto shares = all_parts();
  std::vector<std::uint64_t> notes(parts_.size());
  std::ranges::transform(parts_, notes.begin(),
                         [](const auto& part) { return part->told_.notes(); });
  std::vector<char> has_answered(parts_.size(), 0);  // each written by one thread
  const auto errors = at_nodes(groups_of(shares, context), [&](const Group& group) {
    ask(shares, group, context,
        [&](std::size_t i, NativePlace& part, const NativePlace::Trip& trip) {
          const auto& head = trip.pieces.front().head;
          if (!head) return;
          part.told_.replace(notes[i], ToldWatermark::Mark::of(head->header.notes));
          has_answered[i] = 1;
        });
  });
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (has_answered[i] == 0) parts_[i]->told_.miss();
  }
  for (const auto& error : errors) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const CallAborted&) {
      throw;
    } catch (const std::exception&) {
      // Parts that are away or lost say nothing; the others do (ToldWatermark::miss).
    }
  }
  return told(Telling::all, context).watermarks;
}

Told PartitionedPlace::told(Telling telling, const CallContext&) {
  Told all;
  for (const auto& part : parts_) {
    const Told one = part->told_.told(telling);
    all.filters += one.filters;
    all.watermarks.insert(all.watermarks.end(), one.watermarks.begin(), one.watermarks.end());
  }
  return all;
}

bool PartitionedPlace::insert_and_advance(std::span<const Key> keys, PlaceHead& head,
                                          const Watermark& next, const CallContext& context) {
  if (!writes_) refuse("is open for reading only");
  if (!next.source.is_set()) refuse("a watermark without a source says nothing");
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
  Inserting all{.shares = shares, .next = &next};
  rethrow_first(at_nodes(groups_of(shares, context),
                         [&](const Group& group) { insert_at(all, group, context); }));
  if (std::ranges::find(all.has_moved, 0) != all.has_moved.end()) return false;
  return combine(head);
}

bool PartitionedPlace::advance(const PlaceHead& expected, const Watermark& next,
                               const CallContext& context) {
  PlaceHead head = expected;
  return insert_and_advance({}, head, next, context);
}

AnyFilter PartitionedPlace::copy(const CallContext& context) {
  const FilterParameters& parameters = index_.header.contents.parameters;
  HeapWords words(parameters.geometry.bit_count / kWordBits);
  const auto body = std::as_writable_bytes(words.words());
  NativeBitmapHead head = index_;
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    const FilePart here = part_number(i);
    const auto of_part =
        parts_[i]->read_body(body.subspan(here.bit_begin() / 8, here.body_bits() / 8), context);
    auto& inserted = head.header.contents.inserted;
    inserted = std::max(inserted, of_part.header.contents.inserted);
  }
  return open_read_body(head, std::move(words));
}

void PartitionedPlace::destroy(const CallContext&) {
  if (!writes_) refuse("is open for reading only");
  destroy_partitions(*client_, key_, index_.header.part->count);
}

bool destroy_partitions(Client& client, const std::string& key, std::uint32_t count) {
  bool any = delete_native(client, key);
  for (std::uint32_t i = 0; i < count; ++i) {
    any = delete_native(client, partition_key(key, i, count)) || any;
  }
  return any;
}

}  // namespace bloomery::redis
