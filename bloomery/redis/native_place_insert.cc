// What changes a filter in a string: its bits, and its head.
#include <algorithm>
#include <utility>

#include "bloomery/redis/bitfield.h"
#include "bloomery/redis/errors.h"
#include "bloomery/redis/native_insertion.h"
#include "bloomery/redis/native_place.h"
#include "bloomery/redis/transaction.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kBitsInTransaction = 14'000;  // some 5 ms of the server
constexpr std::size_t kBitsInTrip = 100'000;
constexpr std::size_t kUnits = 5;  // ECHO, ROLE, STRLEN, GETRANGE, BITFIELD
constexpr int kMostTries = 10;

// KEYS: the filter. ARGV: zeros, which no head begins with.
constexpr std::string_view kCleanUp = R"(
if redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
)";

}  // namespace

std::size_t NativePlace::Insertion::key_count() const noexcept {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.key_count;
  return count;
}

std::size_t NativePlace::Insertion::bit_count() const noexcept {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.offsets.size();
  return count;
}

void NativePlace::Insertion::tell(Inserted old_key, std::span<Inserted> outcomes) const {
  for (const Part& part : parts) {
    auto begin = part.result.bits.begin();
    for (std::size_t i = 0; i < std::min(part.key_count, outcomes.size()); ++i) {
      const auto end = part.result.bits.begin() + static_cast<std::ptrdiff_t>(part.ends[i]);
      outcomes[i] = std::find(begin, end, false) == end ? old_key : Inserted::added;
      begin = end;
    }
    outcomes = outcomes.subspan(std::min(part.key_count, outcomes.size()));
  }
}

std::vector<NativePlace::Part> NativePlace::split(const KeyBits& bits,
                                                  std::size_t first_key) const {
  std::vector<Part> parts(1);
  const std::size_t begin = first_key == bits.size() ? 0 : bits.begin_of(first_key);
  std::size_t part_begin = begin;
  for (std::size_t i = first_key; i < bits.size(); ++i) {
    if (i > first_key && bits.ends[i] - begin > kBitsInTrip) break;
    if (parts.back().key_count > 0 && bits.ends[i] - part_begin > kBitsInTransaction) {
      parts.emplace_back();
      part_begin = bits.begin_of(i);
    }
    ++parts.back().key_count;
    parts.back().ends.push_back(bits.ends[i] - part_begin);
  }
  auto rest = std::span(bits.positions).subspan(begin);
  for (Part& part : parts) {
    const std::size_t count = part.ends.empty() ? 0 : part.ends.back();
    part.offsets = offsets(rest.first(count));
    rest = rest.subspan(count);
  }
  return parts;
}

void NativePlace::read_part(std::span<const Reply> replies, const LostBits::Known& known,
                            bool steps, Part& part) {
  const auto& all = read_exec(replies, kUnits + (steps ? 1 : 0), part.nonce, name_);
  part.result = {};
  part.doubt.clear();
  for (const Reply& reply : all) {
    if (!reply.is(Reply::Type::error)) continue;
    if (refusal_of(reply.text) != Refusal::wrong_type) throw RefusedError(name_, reply.text);
    part.doubt = "the key holds something else (WRONGTYPE)";
    return;
  }
  part.doubt = role_doubt(all[1], false, name_);
  part.is_primary = part.doubt.empty();
  if (!all[2].is(Reply::Type::number) || all[2].number < 0) fail_answer(name_, "its length");
  if (!all[3].is(Reply::Type::text)) fail_answer(name_, "its head");
  part.result.byte_count = static_cast<std::uint64_t>(all[2].number);
  std::string doubt;
  part.head = head_of(all[3].text, part.result.byte_count, doubt);
  if (part.doubt.empty()) part.doubt = std::move(doubt);
  read_bitfield(all[4], known.positions.size(), part.offsets.size(), part.result.known_bits,
                part.result.bits, name_);
  if (!steps) return;
  if (!all[5].is(Reply::Type::number)) fail_answer(name_, "its step");
  part.has_stepped = all[5].number == 1;
}

NativePlace::Insertion NativePlace::insertion(const KeyBits& bits, std::size_t first_key) const {
  return {.parts = split(bits, first_key)};
}

NativePlace::Insertion NativePlace::insertion(const KeyBits& bits, std::size_t first_key, Head old,
                                              const Watermark& watermark) const {
  Insertion made{.parts = split(bits, first_key), .old = std::move(old)};
  made.parts.resize(1);
  made.next = made.old->header;
  made.next->is_live = true;
  const bool is_last = first_key + made.parts[0].key_count == bits.size();
  made.next->notes.step(is_last ? std::optional(watermark) : std::nullopt);
  return made;
}

void NativePlace::append(Request& request, Insertion& insertion) {
  insertion.known = lost_.known();
  insertion.replies_each = 2 + kUnits + (insertion.steps() ? 1 : 0);
  const std::string last_byte = std::to_string(head_length_ - 1);
  for (const Part& part : insertion.parts) {
    begin_transaction(request, part.nonce);
    request.add({"STRLEN", key_}).add({"GETRANGE", key_, "0", last_byte});
    append_bitfield(request, key_, true, insertion.known.positions, part.offsets);
    if (insertion.steps()) append_head_exchange(request, key_, *insertion.old, *insertion.next);
    request.add({"EXEC"});
  }
}

void NativePlace::read(std::span<const Reply> replies, Insertion& insertion) {
  for (Part& part : insertion.parts) {
    read_part(replies.first(insertion.replies_each), insertion.known, insertion.steps(), part);
    replies = replies.subspan(insertion.replies_each);
  }
}

bool NativePlace::run(Insertion& insertion, const CallContext& context) {
  Request request;
  request.about(key_);
  append(request, insertion);
  const Answer answer =
      client_->run(request, Repeat::safe, context,
                   [&](std::span<const Reply> replies) { read(replies, insertion); });
  settle(insertion, context);
  return !answer.repeated;
}

void NativePlace::settle(const Insertion& insertion, const CallContext& context) {
  for (const Part& part : insertion.parts) settle(part, insertion.known, context);
}

void NativePlace::settle(const Part& part, const LostBits::Known& known,
                         const CallContext& context) {
  if (!part.is_primary) client_->suspect(key_);
  if (part.doubt.empty() && !part.head->has_bits_of(*opened())) {
    fail("a filter whose keys have other bits has taken its place; open it again");
  }
  if (!part.doubt.empty()) {
    if (part.result.byte_count == 0) clean_up(context);
    fail(part.doubt);
  }
  if (!part.head->header.is_live) make_live(context);
  // What another filter has is no matter: the keys are in it now.
  if (!is_opened(*part.head)) return;
  if (const auto lost = lost_.judge(known, part.result)) fail(*lost);
  lost_.learn(part.offsets, true);
}

// Setting bits has made a string of nothing else.
void NativePlace::clean_up(const CallContext& context) {
  try {
    const std::string zeros(kHeaderBytes, '\0');
    client_->run(Request().add({"EVAL", kCleanUp, "1", key_, zeros}).about(key_), Repeat::safe,
                 context);
  } catch (const StoreError&) {
    // It is no filter, and nobody takes it for one.
  }
}

void NativePlace::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                              const CallContext& context) {
  if (!writes_) refuse("is open for reading only");
  while (!keys.empty()) {
    const std::size_t count =
        std::min(keys.size(), std::max<std::size_t>(1, kBitsInTrip / probe_count_));
    const std::span<Inserted> these = outcomes.first(std::min(count, outcomes.size()));
    insert_bits(bits_of(keys.first(count)), these, context);
    keys = keys.subspan(count);
    outcomes = outcomes.subspan(these.size());
  }
}

void NativePlace::insert_bits(const KeyBits& bits, std::span<Inserted> outcomes,
                              const CallContext& context) {
  if (!writes_) refuse("is open for reading only");
  for (std::size_t key = 0; key < bits.size();) {
    if (const auto lost = lost_.verdict()) fail(*lost);
    Insertion trip = insertion(bits, key);
    trip.tell(run(trip, context) ? Inserted::present : Inserted::unknown, outcomes);
    outcomes = outcomes.subspan(std::min(trip.key_count(), outcomes.size()));
    key += trip.key_count();
  }
}

void NativePlace::make_live(const CallContext& context) {
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

bool NativePlace::insert_and_advance(std::span<const Key> keys, PlaceHead& head,
                                     const Watermark& next, const CallContext& context) {
  return insert_and_advance_bits(bits_of(keys), head, next, context);
}

NativePlace::Head NativePlace::head_to_step_from(const PlaceHead& head,
                                                 const CallContext& context) {
  const auto is_expected = [&](const NativeBitmapHead& there) {
    return head.identity.is_set() &&
           there.header.notes.stand_at(head.identity, head.watermark, head.beat);
  };
  Head old = last_head();
  // What was read last will do: the step itself looks whether it is still there.
  if (!old || !is_expected(*old)) old = need_head(context);
  return is_expected(*old) ? old : nullptr;
}

NativePlace::Head NativePlace::finish_step(const Insertion& insertion) {
  if (!insertion.parts[0].has_stepped) return nullptr;
  auto now = std::make_shared<const NativeBitmapHead>(
      read_native_head(head_bytes(*insertion.next, name_), layout_.file_bytes));
  remember(now);
  return now;
}

bool NativePlace::insert_and_advance_bits(const KeyBits& bits, PlaceHead& head,
                                          const Watermark& next, const CallContext& context) {
  if (!writes_) refuse("is open for reading only");
  if (!next.source.is_set()) refuse("a watermark without a source says nothing");
  if (const auto lost = lost_.verdict()) fail(*lost);
  Head old = head_to_step_from(head, context);
  if (!old) return false;
  std::size_t key = 0;
  do {
    Insertion trip = insertion(bits, key, old, next);
    run(trip, context);
    old = finish_step(trip);
    if (!old) return false;
    key += trip.key_count();
  } while (key < bits.size());
  head = old->place_head();
  return true;
}

bool NativePlace::advance(const PlaceHead& expected, const Watermark& next,
                          const CallContext& context) {
  PlaceHead head = expected;
  return insert_and_advance({}, head, next, context);
}

}  // namespace bloomery::redis
