#include "bloomery/redis/native_place.h"

#include <algorithm>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/redis/bitfield.h"
#include "bloomery/redis/errors.h"
#include "bloomery/redis/lines.h"
#include "bloomery/redis/native_trip.h"
#include "bloomery/redis/transaction.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kKeysAsked = 10'000;
constexpr std::size_t kBitsInCommand = 14'000;  // some 5 ms of the server

constexpr const char* kOtherFilter =
    "another filter has taken its place since it was opened; open it again";

bool is_set_in(std::string_view line, std::uint64_t position) noexcept {
  const std::uint64_t bit = position % (8 * kLineBytes);
  return (static_cast<unsigned char>(line[bit / 8]) >> (bit % 8) & 1) != 0;
}

void add_range(Request& request, const std::string& key, std::uint64_t from, std::uint64_t count) {
  request.add({"GETRANGE", key, std::to_string(from), std::to_string(from + count - 1)});
}

}  // namespace

NativePlace::NativePlace(std::shared_ptr<Client> client, std::string key, std::string name,
                         NativeBitmapHead opened, bool writes)
    : client_(std::move(client)),
      key_(std::move(key)),
      name_(std::move(name)),
      writes_(writes),
      probe_count_(opened.header.contents.parameters.geometry.probe_count),
      lines_per_key_(opened.header.contents.parameters.geometry.lines_per_key),
      layout_(opened.header.layout),
      geometry_(geometry_bytes(opened.header)),
      positions_(native_positions(opened.header.contents.parameters)),
      head_length_(read_length(opened)),
      opened_(std::make_shared<const NativeBitmapHead>(std::move(opened))),
      gathered_(*this, client_->location()) {}

NativePlace::Head NativePlace::opened() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

NativePlace::Head NativePlace::last_head() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void NativePlace::remember(Head head) {
  const std::lock_guard lock(mutex_);
  last_ = std::move(head);
}

void NativePlace::fail(const std::string& why) const {
  throw StoreError(name_ + ": " + why);
}

std::vector<std::uint64_t> NativePlace::offsets(std::span<const std::uint64_t> positions) const {
  std::vector<std::uint64_t> all(positions.size());
  std::ranges::transform(positions, all.begin(),
                         [&](std::uint64_t each) { return string_offset(layout_, each); });
  return all;
}

// Null where it is none; `doubt` then says why.
NativePlace::Head NativePlace::head_of(std::string_view bytes, std::uint64_t byte_count,
                                       std::string& doubt) {
  {
    const std::lock_guard lock(mutex_);
    if (last_ && bytes.starts_with(last_->bytes) && last_->header.layout.file_bytes == byte_count) {
      return last_;
    }
  }
  try {
    auto read = std::make_shared<const NativeBitmapHead>(read_native_head(bytes, byte_count));
    head_length_ = read_length(*read);
    remember(read);
    return read;
  } catch (const FormatError& error) {
    doubt = byte_count == 0 ? "no filter is there" : error.what();
    // One with more fields than were asked for is read whole the next time.
    if (byte_count != 0) head_length_ = kMaxHeadBytes;
    return nullptr;
  }
}

KeyBits NativePlace::bits_of(std::span<const Key> keys) const {
  KeyBits bits;
  bits.positions.reserve(keys.size() * probe_count_);
  bits.ends.reserve(keys.size());
  for (const Key each : keys) {
    positions_(each, bits.positions);
    bits.ends.push_back(bits.positions.size());
  }
  return bits;
}

// Of trip.bits.
void NativePlace::append_question(Request& request, Trip& trip) {
  trip.head_bytes = head_length_;
  trip.known = lost_.known();
  request.add({"ECHO", trip.nonce}).add({"ROLE"}).add({"STRLEN", key_});
  add_range(request, key_, 0, trip.head_bytes);
  append_bitfield(request, key_, false, trip.known.positions, {});
  const std::span<const std::uint64_t> positions(trip.bits.positions);
  if (lines_per_key_ == 0) {
    const auto all = offsets(positions);
    for (std::size_t at = 0; at < all.size(); at += kBitsInCommand) {
      const std::size_t count = std::min(kBitsInCommand, all.size() - at);
      append_bitfield(request, key_, false, {}, std::span(all).subspan(at, count));
    }
  } else {
    for_each_line(trip.bits, [&](std::uint64_t line, std::size_t, std::size_t) {
      add_range(request, key_, layout_.body_offset + line * kLineBytes, kLineBytes);
    });
  }
  add_range(request, key_, 0, trip.head_bytes);
}

void NativePlace::read_question(std::span<const Reply> replies, Trip& trip) {
  for (const Reply& reply : replies) {
    if (!reply.is(Reply::Type::error)) continue;
    if (refusal_of(reply.text) != Refusal::wrong_type) throw RefusedError(name_, reply.text);
    trip.doubt = "the key holds something else (WRONGTYPE)";
    return;
  }
  const auto need = [&](bool right, const char* what) {
    if (!right) fail_answer(name_, what);
  };
  need(replies[0].is(Reply::Type::text) && replies[0].text == trip.nonce, "another's answer");
  trip.doubt = role_doubt(replies[1], client_->location().allow_replica, name_);
  trip.is_primary = trip.doubt.empty();
  need(replies[2].is(Reply::Type::number) && replies[2].number >= 0, "its length");
  trip.result.byte_count = static_cast<std::uint64_t>(replies[2].number);
  const Reply& before = replies[3];
  const Reply& after = replies.back();
  need(before.is(Reply::Type::text) && after.is(Reply::Type::text), "its head");
  std::vector<bool> none;
  read_bitfield(replies[4], trip.known.positions.size(), 0, trip.result.known_bits, none, name_);
  std::span<const Reply> lines = replies.subspan(5, replies.size() - 6);
  std::string doubt;
  trip.first = head_of(before.text, trip.result.byte_count, doubt);
  trip.last = head_of(after.text, trip.result.byte_count, doubt);
  if (trip.doubt.empty()) trip.doubt = std::move(doubt);

  std::vector<bool> bits;
  if (lines_per_key_ == 0) {
    for (std::size_t left = trip.bits.positions.size(); const Reply& each : lines) {
      const std::size_t count = std::min(kBitsInCommand, left);
      read_bitfield(each, 0, count, none, bits, name_);
      left -= count;
    }
  } else {
    for_each_line(trip.bits, [&](std::uint64_t, std::size_t at, std::size_t end) {
      const Reply& line = lines.front();
      lines = lines.subspan(1);
      need(line.is(Reply::Type::text), "a line");
      const bool is_whole = line.text.size() == kLineBytes;
      if (!is_whole && trip.doubt.empty()) trip.doubt = "it became shorter while it was read";
      for (; at < end; ++at) {
        bits.push_back(is_whole && is_set_in(line.text, trip.bits.positions[at]));
      }
    });
  }
  trip.all_set.assign(trip.bits.size(), false);
  for (std::size_t i = 0; i < trip.bits.size(); ++i) {
    const auto begin = bits.begin() + static_cast<std::ptrdiff_t>(trip.bits.begin_of(i));
    const auto end = bits.begin() + static_cast<std::ptrdiff_t>(trip.bits.ends[i]);
    trip.all_set[i] = std::find(begin, end, false) == end;
  }
}

bool NativePlace::is_opened(const NativeBitmapHead& head) const {
  const Head opened = this->opened();
  const Identity& identity = head.header.notes.identity;
  return identity == opened->header.notes.identity &&
         (identity.is_set() || head.bytes == opened->bytes);
}

// Of heads that were read without a doubt.
void NativePlace::judge(Trip& trip) {
  if (!trip.is_primary) client_->suspect(key_);
  if (!trip.doubt.empty()) return;
  const Head opened = this->opened();
  if (!trip.first->has_bits_of(*opened) || !trip.last->has_bits_of(*opened)) {
    trip.doubt = "a filter whose keys have other bits has taken its place; open it again";
    return;
  }
  const Identity identity = trip.first->header.notes.identity;
  if (trip.last->header.notes.identity != identity) {
    trip.doubt = "another filter took its place while it was read";
    return;
  }
  if (!is_opened(*trip.first)) {
    trip.not_ours = kOtherFilter;
    return;
  }
  trip.not_ours = lost_.judge(trip.known, trip.result).value_or("");
}

// A head that has become longer than what was asked of it.
bool NativePlace::has_grown(const Trip& trip) const noexcept {
  return !trip.doubt.empty() && head_length_ > trip.head_bytes;
}

NativePlace::Trip NativePlace::ask(KeyBits bits, const CallContext& context) {
  for (bool again = false;; again = true) {
    Trip trip{.bits = std::move(bits)};
    Request request;
    request.about(key_);
    append_question(request, trip);
    client_->run(request, Repeat::safe, context, [&](std::span<const Reply> replies) {
      trip.begin_again();
      read_question(replies, trip);
    });
    if (has_grown(trip) && !again) {
      bits = std::move(trip.bits);
      continue;
    }
    judge(trip);
    return trip;
  }
}

Presence NativePlace::missing(const Trip& trip, const CallContext& context) const {
  if (!trip.doubt.empty()) return Presence::unknown;
  if (context.fence == nullptr) {
    return trip.not_ours.empty() ? Presence::absent : Presence::unknown;
  }
  const auto reaches = [&](const Head& head) {
    const auto reached = head->header.notes.reached();
    return reached && reached->reaches(context.fence->at_least);
  };
  return reaches(trip.first) && reaches(trip.last) ? Presence::absent : Presence::unknown;
}

// Of a trip that was judged.
void NativePlace::answer(const Trip& trip, std::span<Presence> answers,
                         const CallContext& context) {
  const Presence no = missing(trip, context);
  for (std::size_t i = 0; i < trip.bits.size(); ++i) {
    const bool is_there = i < trip.all_set.size() && trip.all_set[i];
    answers[i] = is_there ? Presence::maybe : no;
    if (i == 0 && is_there && trip.doubt.empty() && trip.not_ours.empty()) {
      lost_.learn(offsets(std::span(trip.bits.positions).first(trip.bits.ends[0])), false);
    }
  }
}

void NativePlace::presence_of_many(std::span<const Key> keys, std::span<Presence> answers,
                                   const CallContext& context) {
  while (!keys.empty()) {
    const std::size_t count = std::min(keys.size(), kKeysAsked);
    answer(ask(bits_of(keys.first(count)), context), answers, context);
    keys = keys.subspan(count);
    answers = answers.subspan(count);
  }
}

NativePlace::Head NativePlace::need_head(const CallContext& context) {
  const Trip trip = ask({}, context);
  if (!trip.doubt.empty()) fail(trip.doubt);
  if (!trip.not_ours.empty()) fail(trip.not_ours);
  return trip.last;
}

PlaceHead NativePlace::head(const CallContext& context) {
  return need_head(context)->place_head();
}

namespace {

bool say_of_key(Client& client, std::string_view command, const std::string& key) {
  const Answer answer = client.run(Request().add({command, key}).about(key), Repeat::safe);
  return require_done(answer.replies.at(0), client.location()).number != 0;
}

}  // namespace

bool native_exists(Client& client, const std::string& key) {
  return say_of_key(client, "EXISTS", key);
}

bool delete_native(Client& client, const std::string& key) {
  return say_of_key(client, "DEL", key);
}

void NativePlace::destroy(const CallContext&) {
  if (!writes_) refuse("is open for reading only");
  delete_native(*client_, key_);
}

}  // namespace bloomery::redis
