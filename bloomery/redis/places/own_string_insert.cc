// SPDX-License-Identifier: Apache-2.0
// What changes a filter in a string: its bits, and its head.
#include <algorithm>
#include <utility>

#include "bloomery/redis/client/bitfield.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/lines.h"
#include "bloomery/redis/places/native_exchange.h"
#include "bloomery/redis/places/own_string_insertion.h"
#include "bloomery/redis/places/set_bits.h"

namespace bloomery::redis {
namespace {

// A transaction holds the server up while it runs: some 5 ms.
constexpr std::size_t kLinesInTransaction = 1'000;
constexpr std::size_t kBitsInTransaction = 2'500;
constexpr std::size_t kBitsInTrip = 100'000;
constexpr std::size_t kBitsInStep = 200'000;
constexpr std::size_t kUnits = 6;  // ECHO, ROLE, STRLEN, GETRANGE, BITFIELD, EVAL
constexpr int kMostTries = 10;
// Exchanges in vain after which nobody watches any more: others write all the time.
constexpr int kExchangesToSkip = 8;

// How much is to be set of a key: lines, or bits.
std::size_t count_of(bool by_lines, const KeyBits& bits, std::size_t key) {
  if (!by_lines) return bits.ends[key] - bits.begin_of(key);
  std::size_t count = 0;
  std::uint64_t last = 0;
  for (std::size_t at = bits.begin_of(key); at < bits.ends[key]; ++at) {
    const std::uint64_t line = bits.positions[at] / (8 * kLineBytes);
    count += at == bits.begin_of(key) || line != last ? 1 : 0;
    last = line;
  }
  return count;
}

std::size_t count_of(bool by_lines, const KeyBits& bits) {
  std::size_t count = 0;
  for (std::size_t key = 0; key < bits.size(); ++key) count += count_of(by_lines, bits, key);
  return count;
}

}  // namespace

KeyBits sorted(const KeyBits& bits) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order(bits.size());
  for (std::size_t key = 0; key < bits.size(); ++key) {
    const bool has_any = bits.ends[key] > bits.begin_of(key);
    order[key] = {has_any ? bits.positions[bits.begin_of(key)] / (8 * kLineBytes) : 0, key};
  }
  std::ranges::sort(order);
  KeyBits all;
  all.positions.reserve(bits.positions.size());
  all.ends.reserve(bits.size());
  for (const auto& [line, key] : order) {
    const auto begin = bits.positions.begin();
    all.positions.insert(all.positions.end(),
                         begin + static_cast<std::ptrdiff_t>(bits.begin_of(key)),
                         begin + static_cast<std::ptrdiff_t>(bits.ends[key]));
    all.ends.push_back(all.positions.size());
    if (!bits.hashes.empty()) all.hashes.push_back(bits.hashes[key]);
  }
  return all;
}

std::size_t OwnString::Insertion::key_count() const noexcept {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.bits.size();
  return count;
}

std::size_t OwnString::Insertion::bit_count() const noexcept {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.bits.positions.size();
  return count;
}

std::vector<std::uint64_t> OwnString::Insertion::changed(bool by_lines) const {
  std::vector<std::uint64_t> changed;
  for (const Part& part : parts) {
    const std::vector<bool>& were_set = part.set.were_set;
    if (were_set.empty()) continue;
    if (!by_lines) {
      for (std::size_t at = 0; at < part.bits.positions.size(); ++at) {
        if (!were_set[at]) changed.push_back(part.bits.positions[at]);
      }
      continue;
    }
    std::size_t number = 0;
    std::string_view old_lines = part.set.old_lines;
    for_each_line(part.bits, [&](std::uint64_t, std::size_t at, std::size_t end) {
      if (were_set[number++] || old_lines.empty()) return;
      for (; at < end; ++at) {
        const std::uint64_t position = part.bits.positions[at];
        if (!is_set_in(old_lines, position)) changed.push_back(position);
      }
      old_lines.remove_prefix(kLineBytes);
    });
  }
  return changed;
}

std::vector<std::uint64_t> OwnString::Insertion::touched() const {
  std::vector<std::uint64_t> touched;
  touched.reserve(bit_count());
  for (const Part& part : parts) {
    touched.insert(touched.end(), part.bits.positions.begin(), part.bits.positions.end());
  }
  return touched;
}

void OwnString::Insertion::tell(bool by_lines, Inserted old_key,
                                std::span<Inserted> outcomes) const {
  for (const Part& part : parts) {
    if (!part.set.has_set || outcomes.empty()) return;
    auto begin = part.set.were_set.begin();
    const std::size_t count = std::min(part.bits.size(), outcomes.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto end = begin + static_cast<std::ptrdiff_t>(count_of(by_lines, part.bits, i));
      outcomes[i] = std::find(begin, end, false) == end ? old_key : Inserted::added;
      begin = end;
    }
    outcomes = outcomes.subspan(count);
  }
}

std::vector<OwnString::Part> OwnString::split(const KeyBits& bits, std::size_t first_key,
                                              std::size_t most_bits) const {
  const std::size_t most = sets_lines() ? kLinesInTransaction : kBitsInTransaction;
  std::vector<Part> parts(1);
  const std::size_t begin = first_key == bits.size() ? 0 : bits.begin_of(first_key);
  std::size_t in_part = 0;
  for (std::size_t i = first_key; i < bits.size(); ++i) {
    if (i > first_key && bits.ends[i] - begin > most_bits) break;
    const std::size_t count = count_of(sets_lines(), bits, i);
    if (in_part > 0 && in_part + count > most) {
      parts.emplace_back();
      in_part = 0;
    }
    in_part += count;
    KeyBits& of_part = parts.back().bits;
    of_part.positions.insert(of_part.positions.end(),
                             bits.positions.begin() + static_cast<std::ptrdiff_t>(bits.begin_of(i)),
                             bits.positions.begin() + static_cast<std::ptrdiff_t>(bits.ends[i]));
    of_part.ends.push_back(of_part.positions.size());
    if (!bits.hashes.empty()) of_part.hashes.push_back(bits.hashes[i]);
  }
  return parts;
}

// No entry where steps are not kept, and of one that is too long.
StepNote OwnString::note_of(const NativeBitmapHead& old, const NativeBitmapHead& next,
                            std::span<const HashPair> hashes) const {
  if (!steps_.is_kept()) return {};
  std::string entry = encode_step(step_state(old), step_state(next), hashes);
  if (entry.size() > steps_.most_bytes) return {};
  return {.stream = &steps_, .beat = next.header.notes.beat, .entry = std::move(entry)};
}

void OwnString::read_part(std::span<const Reply> replies, const LostBits::Known& known,
                          Part& part) {
  const auto& all = read_exec(replies, kUnits, part.nonce, name_);
  part.begin_again();
  part.set = {};
  if (!read_beginning(all, false, part)) return;
  std::vector<bool> none;
  read_bitfield(all[4], known.positions.size(), 0, part.result.known_bits, none, name_);
  part.set = read_set(all[5], count_of(sets_lines(), part.bits), sets_lines(), name_);
}

std::size_t OwnString::most_keys_set() const noexcept {
  return std::max<std::size_t>(1, kBitsInTrip / probe_count_);
}

OwnString::Insertion OwnString::insertion(InsertCall call, const KeyBits& bits,
                                          std::size_t first_key) const {
  return {.call = call, .parts = split(bits, first_key, kBitsInTrip)};
}

OwnString::Insertion OwnString::insertion(InsertCall call, const KeyBits& bits,
                                          std::size_t first_key, Head old,
                                          const Watermark& watermark) const {
  Insertion made{.call = call, .parts = split(bits, first_key, kBitsInStep)};
  for (Part& part : made.parts) {
    first_key += part.bits.size();
    FileHeader next = old->header;
    next.is_live = true;
    const bool is_last = first_key == bits.size();
    next.notes.step(is_last ? std::optional(watermark) : std::nullopt, random_step());
    part.old = std::move(old);
    part.next = std::make_shared<const NativeBitmapHead>(
        read_native_head(head_bytes(next, name_), layout_.file_bytes));
    old = part.next;
  }
  return made;
}

void OwnString::append(Request& request, Insertion& insertion) {
  insertion.known = lost_.known();
  insertion.replies_each = 2 + kUnits;
  const std::string last_byte = std::to_string(head_length_ - 1);
  for (const Part& part : insertion.parts) {
    begin_transaction(request, part.nonce);
    request.add({"STRLEN", key_}).add({"GETRANGE", key_, "0", last_byte});
    // A command that writes, so that a replica refuses the whole transaction before it begins.
    append_bitfield(request, key_, true, insertion.known.positions, {});
    const std::string next = part.next ? next_head(*part.old, part.next->header, name_) : "";
    const ByteStep step{part.next ? part.old->bytes : std::string_view(), next};
    const NativeString filter{key_, layout_.file_bytes, geometry_};
    const StepNote note = part.next ? note_of(*part.old, *part.next, part.bits.hashes) : StepNote();
    if (sets_lines()) {
      append_set_lines(request, filter, layout_.body_offset, part.bits, step, note);
    } else {
      append_set_bits(request, filter, offsets(part.bits.positions), step, note);
    }
    request.add({"EXEC"});
  }
}

void OwnString::read(std::span<const Reply> replies, Insertion& insertion) {
  for (Part& part : insertion.parts) {
    read_part(replies.first(insertion.replies_each), insertion.known, part);
    replies = replies.subspan(insertion.replies_each);
  }
}

bool OwnString::run(Insertion& insertion, const CallContext& context) {
  Request request;
  request.about(key_);
  append(request, insertion);
  const Answer answer =
      client_->run(request, Repeat::safe, context,
                   [&](std::span<const Reply> replies) { read(replies, insertion); });
  insertion.repeated = insertion.repeated || answer.repeated;
  settle(insertion, context);
  return !answer.repeated;
}

bool OwnString::exchange(Insertion& insertion, std::size_t fewest_keys,
                         const CallContext& context) {
  const Head old = insertion.parts.front().old;
  const Head next = insertion.parts.back().next;
  const bool is_ours = is_opened(*old) && old->header.is_live && old->has_bits_of(*opened());
  // Bits that are anywhere in the filter are near each other where they are many: no more is read
  // than a line for each.
  const bool are_near = sets_lines() || layout_.file_bytes <= kLineBytes * insertion.bit_count();
  if (!are_near || !is_ours || insertion.key_count() < fewest_keys) return false;
  if (exchanges_to_skip_ > 0) {
    --exchanges_to_skip_;
    return false;
  }
  const LostBits::Known known = lost_.known();
  const std::string head = next_head(*old, next->header, name_);
  std::vector<HashPair> hashes;
  for (const Part& part : insertion.parts) {
    hashes.insert(hashes.end(), part.bits.hashes.begin(), part.bits.hashes.end());
  }
  const StepNote note = note_of(*old, *next, hashes);
  NativeExchange exchange({.key = key_,
                           .name = name_,
                           .byte_count = layout_.file_bytes,
                           .body_offset = layout_.body_offset,
                           .old_head = old->bytes,
                           .next_head = head,
                           .known = known.positions,
                           .note = &note});
  for (const Part& part : insertion.parts) exchange.add(part.bits);
  std::optional<std::string> lost;
  const auto then = [&](std::span<const Reply> replies) -> std::optional<Request> {
    if (!exchange.take(replies)) return std::nullopt;
    TransactionResult result{.byte_count = layout_.file_bytes, .known_bits = exchange.known_bits()};
    lost = lost_.judge(known, result);
    if (lost) return std::nullopt;
    return exchange.writing();
  };
  auto outcome = NativeExchange::Outcome::refused;
  const bool is_sure = client_->run_watched(
      exchange.question(), then, context,
      [&](std::span<const Reply> replies) { outcome = exchange.outcome(replies); });
  if (lost) fail(*lost);
  if (!is_sure || outcome != NativeExchange::Outcome::done) {
    exchanges_to_skip_ = kExchangesToSkip;
    insertion.repeated = true;
    return false;
  }
  remember(next);
  lost_.learn(insertion.call,
              {.changed = offsets(exchange.changed()), .touched = offsets(insertion.touched())});
  return true;
}

void OwnString::settle(const Insertion& insertion, const CallContext& context) {
  for (const Part& part : insertion.parts) settle(part, insertion.known, context);
  const auto is_ours = [&](const Part& part) { return is_opened(*part.head); };
  if (!std::ranges::all_of(insertion.parts, is_ours)) return;
  lost_.learn(insertion.call, {.changed = offsets(insertion.changed(sets_lines())),
                               .touched = offsets(insertion.touched()),
                               .repeated = insertion.repeated});
}

void OwnString::settle(const Part& part, const LostBits::Known& known, const CallContext& context) {
  if (!part.is_primary) client_->suspect(key_);
  if (!part.doubt.empty()) fail(part.doubt);
  if (const std::string other = other_bits(*part.head); !other.empty()) fail(other);
  if (!part.set.has_set) fail("its head is not the one that was opened; open it again");
  if (!part.head->header.is_live) make_live(context);
  // Lost bits are no matter where another filter has taken the place: the keys are in it now.
  if (!is_opened(*part.head)) return;
  if (const auto lost = lost_.judge(known, part.result)) fail(*lost);
}

void OwnString::make_live(const CallContext& context) {
  for (int i = 0; i < kMostTries; ++i) {
    const Head old = need_head(context);
    FileHeader next = old->header;
    if (next.is_live && next.notes.identity.is_set()) return;
    next.is_live = true;
    if (!next.notes.identity.is_set()) next.notes.identity = Identity::random();
    Request request;
    request.about(key_);
    append_head_exchange(request, key_, *old, next);
    const Answer answer = client_->run(request, Repeat::safe, context);
    const Reply& reply = require_done(answer.replies.at(0), client_->location());
    if (!reply.is(Reply::Type::number) || reply.number != 1) continue;
    const std::string bytes = head_bytes(next, name_);
    const std::lock_guard lock(mutex_);
    if (opened_->bytes != old->bytes) return;
    opened_ = std::make_shared<const NativeBitmapHead>(read_native_head(bytes, layout_.file_bytes));
    return;
  }
  fail("its head changes all the time");
}

OwnString::Head OwnString::head_to_step_from(const PlaceHead& head, const CallContext& context) {
  const auto is_expected = [&](const NativeBitmapHead& there) {
    return head.identity.is_set() &&
           there.header.notes.stand_at(head.identity, head.watermark, head.beat);
  };
  Head old = last_head();
  // The head that was read last will do: the step itself looks whether it is still there.
  if (!old || !is_expected(*old)) {
    const Trip trip = travel({}, context);
    const TripPiece& piece = trip.pieces.front();
    if (!piece.doubt.empty()) fail(piece.doubt);
    if (!piece.not_ours.empty()) return nullptr;
    old = piece.head;
  }
  return is_expected(*old) ? old : nullptr;
}

OwnString::Head OwnString::finish_step(const Insertion& insertion) {
  const auto has_stepped = [](const Part& part) { return part.set.has_stepped; };
  if (!std::ranges::all_of(insertion.parts, has_stepped)) return nullptr;
  remember(insertion.parts.back().next);
  return insertion.parts.back().next;
}

}  // namespace bloomery::redis
