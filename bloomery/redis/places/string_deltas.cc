// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/string_deltas.h"

#include <algorithm>
#include <utility>

#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"
#include "bloomery/redis/client/deadline.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/chain_bytes.h"
#include "bloomery/redis/places/native_place.h"
#include "bloomery/redis/places/partition_keys.h"
#include "bloomery/redis/places/partitioned_place.h"
#include "bloomery/text/grouped.h"

namespace bloomery::redis {
namespace {

using Clock = CallContext::Clock;

// A filter into which something comes all the time is looked at so often.
constexpr std::chrono::milliseconds kBetweenLooks{20};

}  // namespace

StringDeltas::StringDeltas(std::shared_ptr<Client> client, std::string name)
    : client_(std::move(client)), name_(std::move(name)) {}

void StringDeltas::open_parts(const NativeBitmapHead& head) {
  const std::string& key = client_->location().key;
  parts_.clear();
  index_.reset();
  const auto& part = head.header.part;
  if (!part) {
    parts_.push_back({std::make_unique<OwnString>(client_, key, name_, head), {}});
    return;
  }
  if (!part->is_index()) throw StoreError(name_ + ": a partition of a filter, and no filter");
  index_ = std::make_unique<OwnString>(client_, key, name_ + " (its index)", head);
  for (std::uint32_t i = 0; i < part->count; ++i) {
    parts_.push_back({std::make_unique<OwnString>(client_, partition_key(key, i, part->count),
                                                  name_ + " (partition " + std::to_string(i) + ")",
                                                  head_of_part(head, i))});
  }
}

// Each piece was read beside a head. The chain from the first of these heads leads to every other,
// so each piece had the bits of the first head: also if an older copy of the string was there for a
// while, as a failover or RESTORE puts it.
bool StringDeltas::is_one_chain(Part& part, const std::vector<OwnString::Head>& heads,
                                const CallContext& context) {
  part.state = step_state(*heads.front());
  const auto is_first = [&](const OwnString::Head& each) {
    return step_state(*each) == part.state;
  };
  if (std::ranges::all_of(heads, is_first)) return part.state.identity.is_set();
  const auto changes = part.string->changes_since(part.state, {}, reads_streams_, context);
  return std::ranges::all_of(heads, [&](const OwnString::Head& each) {
    return is_first(each) ||
           std::ranges::find(changes.states, step_state(*each)) != changes.states.end();
  });
}

// Returns the lowest watermark of all parts.
std::optional<Watermark> StringDeltas::reached() const {
  std::optional<Watermark> lowest = parts_.front().state.reached;
  for (const Part& part : parts_) {
    const auto& each = part.state.reached;
    if (!lowest || !each || each->source != lowest->source) return std::nullopt;
    lowest->position = std::min(lowest->position, each->position);
  }
  return lowest;
}

DeltaSource::Whole StringDeltas::read_whole(std::uint64_t most_bytes, const CallContext& context) {
  position_ = {};
  reads_streams_ = true;
  NativeBitmapHead head = read_native_head(*client_, client_->location().key, name_, context);
  const FilterParameters& parameters = head.header.contents.parameters;
  const std::uint64_t bits = parameters.geometry.bit_count;
  if (bits / 8 > most_bytes) {
    throw StoreError(name_ + ": its filter has " + grouped(bits / 8) + " bytes, more than the " +
                     grouped(most_bytes) + " that a copy may have, and is not copied");
  }
  open_parts(head);
  identity_ = head.header.notes.identity;
  HeapWords words(FileLayout::of(0, bits).body_bytes / sizeof(std::uint64_t));
  auto body = std::as_writable_bytes(words.words());
  bool is_chain = true;
  for (Part& part : parts_) {
    const auto of_part = body.first(part.string->layout().body_bytes);
    body = body.subspan(of_part.size());
    const auto heads = part.string->read_body(of_part, context);
    is_chain = is_one_chain(part, heads, context) && is_chain;
    head.header.is_live = head.header.is_live || heads.back()->header.is_live;
    auto& inserted = head.header.contents.inserted;
    inserted = std::max(inserted, heads.back()->header.contents.inserted);
  }
  if (index_) index_->need_head(context);
  if (is_chain) position_ = {Identity::random(), 1};
  return {.filter = open_read_body(head, std::move(words)),
          .identity = identity_,
          .reached = reached(),
          .beat = parts_.front().state.beat,
          .position = position_};
}

std::optional<DeltaSource::Delta> StringDeltas::since(const DeltaPosition& position,
                                                      std::chrono::milliseconds wait,
                                                      const CallContext& context) {
  // A copy at another position did not take what came, and does not have it.
  if (!position_.ring.is_set() || position != position_) return std::nullopt;
  // Nobody steps: what others insert is found by whole reads alone.
  if (!reached()) return std::nullopt;
  const auto end = Clock::now() + wait;
  pause_until(next_look_, context);
  Entries came;
  bool has_moved = false;
  auto delta = look(came, has_moved, context);
  if (delta && !has_moved && awaits() == Awaits::steps && wait_for_entries(wait, came, context)) {
    delta = look(came, has_moved, context);
    // Entries that lead nowhere, as of a string that was put back, would end each wait at once.
    if (delta && !has_moved) pause_until(end, context);
  }
  if (has_moved) next_look_ = Clock::now() + kBetweenLooks;
  if (delta && !delta->is_last) next_look_ = {};
  return delta;
}

std::optional<DeltaSource::Delta> StringDeltas::look(const Entries& came, bool& has_moved,
                                                     const CallContext& context) {
  Delta delta{.position = {position_.ring, position_.sequence + 1}, .is_last = true};
  std::vector<StepState> states;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    std::span<const StepEntry> of_part;
    if (!came.empty()) of_part = came[i];
    const auto changes = part.string->changes_since(part.state, of_part, reads_streams_, context);
    if (changes.is_broken) {
      position_ = {};
      return std::nullopt;
    }
    delta.is_last = delta.is_last && changes.has_all;
    has_moved = has_moved || !changes.states.empty();
    states.push_back(changes.states.empty() ? part.state : changes.states.back());
    delta.hashes.insert(delta.hashes.end(), changes.hashes.begin(), changes.hashes.end());
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].state = states[i];
  position_ = delta.position;
  delta.identity = identity_;
  if (delta.is_last) delta.reached = reached();
  return delta;
}

bool StringDeltas::wait_for_entries(std::chrono::milliseconds wait, Entries& came,
                                    const CallContext& context) {
  // The server's answer comes well within the time that a call may take.
  wait = std::clamp(wait, std::chrono::milliseconds(1),
                    std::max(client_->location().timeout / 2, std::chrono::milliseconds(1)));
  std::vector<StreamState> streams;
  for (const Part& part : parts_) {
    streams.push_back({step_stream_key(part.string->key()), part.state});
  }
  Request request;
  append_step_wait(request, streams, wait);
  const Answer answer = client_->run(request, Repeat::safe, context);
  const Reply& reply = answer.replies.at(0);
  if (reply.is(Reply::Type::error)) {
    const Refusal refusal = refusal_of(reply.text);
    // In a cluster the partitions are in several slots, of which a server awaits one at a time.
    may_wait_ = refusal != Refusal::no_permission && refusal != Refusal::unknown_command &&
                !reply.text.starts_with("CROSSSLOT");
    return may_wait_;  // the look says what is wrong
  }
  if (reply.is(Reply::Type::nil)) return false;
  came = read_awaited_steps(reply, streams);
  return true;
}

void StringDeltas::pause_until(Clock::time_point time, const CallContext& context) const {
  const auto length = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now());
  if (length.count() <= 0) return;
  Deadline deadline(name_, context, kForever);
  deadline.pause(length, "waiting for its next look");
}

//   0 kStepsChain   1 zeros 7   8 source of the watermarks 16   then for each string
//   0 identity 16   16 position of the watermark 8   24 beat 8
std::string StringDeltas::chain_at(const DeltaPosition& position) const {
  const auto lowest = reached();
  if (!position_.ring.is_set() || position != position_ || !lowest) return {};
  ChainWriter chain(kStepsChain);
  chain.put(lowest->source);
  for (const Part& part : parts_) {
    chain.put(part.state.identity);
    chain.put(part.state.reached->position);
    chain.put(part.state.beat);
  }
  return chain.bytes();
}

std::optional<DeltaPosition> StringDeltas::resume(const Kept& kept, const CallContext& context) {
  position_ = {};
  reads_streams_ = true;
  const NativeBitmapHead head = read_native_head(*client_, client_->location().key, name_, context);
  const FilterParameters& parameters = head.header.contents.parameters;
  if (head.header.notes.identity != kept.identity || !kept.identity.is_set() ||
      !incompatibility(kept.filter.parameters(), parameters).empty()) {
    return std::nullopt;
  }
  open_parts(head);
  identity_ = kept.identity;
  ChainReader chain(kept.chain, kStepsChain);
  const Identity source = chain.identity();
  for (Part& part : parts_) {
    part.state.identity = chain.identity();
    part.state.reached = Watermark{source, chain.number()};
    part.state.beat = chain.number();
  }
  // The file's watermark is the lowest of its states.
  if (!chain.is_at_end() || !source.is_set() || reached() != kept.reached) return std::nullopt;
  position_ = {Identity::random(), 1};
  return position_;
}

std::unique_ptr<DeltaSource> open_string_deltas(std::string_view text) {
  Location location = parse_location(text);
  const std::string name = "bitmap:" + location.text();
  take_native_settings(location);
  return std::make_unique<StringDeltas>(std::make_shared<Client>(std::move(location)), name);
}

}  // namespace bloomery::redis
