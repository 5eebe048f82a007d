// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/partitioned_place.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/bulk/run_threads.h"
#include "bloomery/redis/client/redirection.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/native_place.h"
#include "bloomery/redis/places/own_string.h"
#include "bloomery/redis/places/partition_keys.h"
#include "bloomery/redis/places/run_reading.h"

namespace bloomery::redis {
namespace {

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

// Joins two answers about lines of one key: absent if either is, else unknown if either is.
Presence both(Presence a, Presence b) noexcept {
  if (a == Presence::absent || b == Presence::absent) return Presence::absent;
  return a == Presence::unknown ? a : b;
}

}  // namespace

NativeBitmapHead head_of_part(NativeBitmapHead index, std::uint32_t part) {
  index.header.part->index = part;
  index.header.layout = FileLayout::of(static_cast<std::uint16_t>(index.header.layout.field_bytes),
                                       index.header.part->body_bits());
  return index;
}

PartitionsDialect::PartitionsDialect(std::shared_ptr<Client> client, std::string name,
                                     const NativeBitmapHead& index, const NativeSettings& settings,
                                     bool writes)
    : ServerDialect(std::move(name)),
      client_(std::move(client)),
      key_(client_->location().key),
      writes_(writes),
      index_(index),
      positions_(native_positions(index.header.contents.parameters)),
      hashes_(settings.step_bytes == 0 ? Hashes()
                                       : native_hashes(index.header.contents.parameters)) {
  const std::uint32_t count = index.header.part->count;
  parts_.reserve(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    parts_.push_back(std::make_unique<OwnString>(
        client_, partition_key(key_, i, count),
        ServerDialect::name() + " (partition " + std::to_string(i) + ")", head_of_part(index, i)));
    if (!hashes_) continue;
    parts_.back()->keep_steps(std::max(settings.step_bytes / count, kLeastStepBytes));
  }
  parts_.push_back(
      std::make_unique<OwnString>(client_, key_, ServerDialect::name() + " (its index)", index));
}

FilePart PartitionsDialect::part_number(std::uint32_t index) const noexcept {
  FilePart part = *index_.header.part;
  part.index = index;
  return part;
}

std::vector<PartitionsDialect::Share> PartitionsDialect::shares_of(
    std::span<const Key> keys) const {
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
        if (hashes_) share.bits.hashes.push_back(hashes_(keys[key]));
      }
      share.bits.ends.back() = share.bits.positions.size();
    }
  }
  std::ranges::sort(shares, {}, &Share::part);
  return shares;
}

std::vector<PartitionsDialect::Share> PartitionsDialect::all_parts() const {
  std::vector<Share> shares(part_count());
  for (std::uint32_t i = 0; i < shares.size(); ++i) shares[i].part = i;
  return shares;
}

std::vector<PartitionsDialect::Share> PartitionsDialect::all_parts_and_index() const {
  auto shares = all_parts();
  shares.push_back({.part = part_count()});
  return shares;
}

std::vector<PartitionsDialect::Group> PartitionsDialect::groups_of(const std::vector<Share>& shares,
                                                                   const CallContext& context) {
  std::vector<std::string_view> keys;
  keys.reserve(shares.size());
  for (const Share& each : shares) keys.push_back(parts_[each.part]->key());
  const std::vector<std::size_t> nodes = client_->nodes_of(keys, context);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (nodes[i] >= groups.size()) groups.resize(nodes[i] + 1);
    groups[nodes[i]].push_back(i);
  }
  return groups;
}

std::vector<std::exception_ptr> PartitionsDialect::at_nodes(
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

void PartitionsDialect::rethrow_first(const std::vector<std::exception_ptr>& errors) {
  for (const auto& each : errors) {
    if (each) std::rethrow_exception(each);
  }
}

// All shares of a node in one trip. Those that are elsewhere by now are asked each for itself, with
// all that the client does to find them.
void PartitionsDialect::travel(const std::vector<Share>& shares, const Group& group,
                               const CallContext& context, const Visit& visit) {
  std::vector<OwnString::Trip> trips(group.size());
  std::vector<std::size_t> sizes(group.size());
  std::vector<bool> is_elsewhere(group.size());
  Request request;
  request.about(parts_[shares[group.front()].part]->key()).of_several_slots();
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
    OwnString& part = *parts_[shares[group[i]].part];
    if (is_elsewhere[i] || part.has_grown(trips[i])) {
      trips[i] = part.travel(std::move(trips[i].bits), context);
    } else {
      part.judge(trips[i]);
    }
    visit(group[i], part, trips[i]);
  }
}

std::size_t PartitionsDialect::ask(std::span<const Key> keys, std::span<Presence> answers,
                                   Proofs& proofs, const CallContext& context) {
  keys = keys.first(std::min(keys.size(), kKeysInBatch));
  answers = answers.first(keys.size());
  auto shares = keys.empty() ? all_parts() : shares_of(keys);
  const std::size_t index = shares.size();
  shares.push_back({.part = part_count()});
  const auto groups = groups_of(shares, context);
  std::vector<std::vector<Presence>> said(shares.size());
  std::vector<Proofs> proved(shares.size());
  bool is_lost = false;  // written by the index's thread
  const auto errors = at_nodes(groups, [&](const Group& group) {
    travel(shares, group, context,
           [&](std::size_t i, OwnString& part, const OwnString::Trip& trip) {
             said[i].assign(shares[i].keys.size(), Presence::unknown);
             part.answer(trip, said[i], proved[i], context);
             if (i == index) is_lost = part.has_lost(trip, context);
           });
  });
  bool have_all_failed = true;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool has_parts = groups[i].size() > 1 || groups[i].front() != index;
    have_all_failed = have_all_failed && (!has_parts || errors[i] != nullptr);
  }
  if (have_all_failed) rethrow_first(errors);
  for (std::size_t i = 0; i < index; ++i) {
    if (keys.empty() && proved[i].is_empty()) proofs.add(Proof{.part = shares[i].part});
    proofs.add(proved[i]);
  }
  std::ranges::fill(answers, Presence::maybe);
  for (std::size_t i = 0; i < index; ++i) {
    for (std::size_t k = 0; k < shares[i].keys.size(); ++k) {
      Presence& answer = answers[shares[i].keys[k]];
      answer = both(answer, said[i].empty() ? Presence::unknown : said[i][k]);
    }
  }
  if (is_lost) std::ranges::replace(answers, Presence::absent, Presence::unknown);
  return keys.size();
}

std::vector<std::exception_ptr> PartitionsDialect::read_heads(const CallContext& context) {
  const auto shares = all_parts_and_index();
  return at_nodes(groups_of(shares, context), [&](const Group& group) {
    travel(shares, group, context,
           [](std::size_t, const OwnString& part, const OwnString::Trip& trip) {
             part.require_sure(trip);
           });
  });
}

bool PartitionsDialect::combine(PlaceHead& head) const {
  head = index_.place_head();
  head.watermark.reset();
  head.beat = 0;
  for (std::uint32_t i = 0; i < part_count(); ++i) {
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

PlaceHead PartitionsDialect::head(const CallContext& context) {
  const auto errors = read_heads(context);
  const Damage damage = damage_of(errors);
  // A place that writes throws if any node is away: otherwise a follower would take a node that
  // comes back for one that has lost its partitions.
  if (damage.away > 0 && (writes_ || damage.away == errors.size())) rethrow_first(errors);
  PlaceHead head;
  if (damage.away == 0 && !damage.is_lost && combine(head)) return head;
  if (damage.away == 0 && !writes_) {
    rethrow_first(errors);
    fail("it changed while its heads were read");
  }
  // Nobody can say how far all of it is; who follows makes it anew.
  head = index_.place_head();
  head.watermark.reset();
  return head;
}

std::optional<AnyFilter> PartitionsDialect::copy(const CallContext& context) {
  const FilterParameters& parameters = index_.header.contents.parameters;
  HeapWords words(parameters.geometry.bit_count / kWordBits);
  const auto body = std::as_writable_bytes(words.words());
  NativeBitmapHead head = index_;
  for (std::uint32_t i = 0; i < part_count(); ++i) {
    const FilePart here = part_number(i);
    const auto heads =
        parts_[i]->read_body(body.subspan(here.bit_begin() / 8, here.body_bits() / 8), context);
    auto& inserted = head.header.contents.inserted;
    inserted = std::max(inserted, heads.back()->header.contents.inserted);
  }
  require_index(context);
  return open_read_body(head, std::move(words));
}

void PartitionsDialect::destroy() {
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
