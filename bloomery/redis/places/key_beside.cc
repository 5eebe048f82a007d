// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/key_beside.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include "bloomery/place/watermark.h"
#include "bloomery/redis/client/hash_slot.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/text/hex_word.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kPieceBytes = 1024 * 1024;

std::uint64_t count_bits(std::span<const std::byte> bytes) {
  std::uint64_t count = 0;
  for (const std::byte each : bytes) {
    count += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned char>(each)));
  }
  return count;
}

}  // namespace

std::string name_beside(const std::string& key) {
  std::uint64_t suffix = Identity::random().high;
  for (;;) {
    std::string next = key + ":next:" + hex_word(suffix++);
    if (hash_slot(next) == hash_slot(key)) return next;
  }
}

KeyBeside::KeyBeside(Client& client, std::string name, std::string filter_key,
                     std::vector<std::byte> bytes)
    : client_(client),
      name_(std::move(name)),
      filter_key_(std::move(filter_key)),
      bytes_(std::move(bytes)),
      byte_count_(bytes_.size()),
      bit_count_(count_bits(bytes_)),
      next_(name_beside(filter_key_)) {}

KeyBeside::~KeyBeside() {
  if (is_done_) return;
  try {
    client_.run(Request().add({"DEL", next_}).about(next_), Repeat::safe);
  } catch (const std::exception&) {
    // The key beside the filter has an hour to live.
  }
}

void KeyBeside::send(const KeyProgress& progress) {
  // The last piece gives the key its length: whatever is lost after that, shows.
  const std::size_t last = (bytes_.size() - 1) / kPieceBytes * kPieceBytes;
  send_piece(last);
  for (std::size_t start = 0; start < last; start += kPieceBytes) {
    if (progress) progress(start, bytes_.size());
    if (count_bits(piece_at(start)) > 0) send_piece(start);
  }
  if (progress) progress(bytes_.size(), bytes_.size());
  bytes_ = {};
}

std::span<const std::byte> KeyBeside::piece_at(std::size_t start) const {
  return std::span(bytes_).subspan(start, std::min(kPieceBytes, bytes_.size() - start));
}

void KeyBeside::send_piece(std::size_t start) {
  const std::span<const std::byte> piece = piece_at(start);
  const std::string offset = std::to_string(start);
  Request request;
  request.add({"SETRANGE", next_, offset,
               std::string_view(reinterpret_cast<const char*>(piece.data()), piece.size())});
  request.add({"PEXPIRE", next_, kMostIdle}).about(next_);
  const Answer answer = client_.run(request, Repeat::safe);
  const Reply& length = require_done(answer.replies.at(0), client_.location());
  if (!length.is(Reply::Type::number) ||
      static_cast<std::uint64_t>(length.number) != bytes_.size()) {
    throw StoreError(name_ + ": " + next_ +
                     ", which was being filled, was lost: the server evicts keys, was emptied, "
                     "or another took its place");
  }
}

std::string KeyBeside::run_script(std::span<const std::string_view> words) {
  const Answer answer = client_.run(Request().add(words).about(filter_key_), Repeat::never);
  return require_done(answer.replies.at(0), client_.location()).text;
}

void require_none_there(const Reply& reply, const std::string& name) {
  const bool is_there = reply.is(Reply::Type::error) && reply.text.starts_with("ERR item exists");
  if (is_there) refuse_exchange("taken", name);
}

void refuse_exchange(std::string_view said, const std::string& name) {
  if (said == "taken") {
    throw StoreError(
        name + ": already exists; load and convert put a new one in its place with --replace");
  }
  if (said == "type") {
    throw StoreError(name +
                     ": a key of that name holds something else (WRONGTYPE), and is left alone");
  }
  if (said == "other") {
    throw StoreError(name +
                     ": the filter there is of another size, or its keys are written in another "
                     "form: what others add to it until the exchange would be \"absent\" in a new "
                     "one; --discard accepts that");
  }
  if (said == "short") {
    throw StoreError(name +
                     ": the bitmap there is shorter than the new one, and may have been written "
                     "with another size, whose bits mean other keys: --discard throws it away, and "
                     "trust=bits in the location says that it is of this size");
  }
  if (said == "strange") {
    throw StoreError(name +
                     ": a string of another length is there, and nothing says that it is a filter");
  }
  if (said == "stranger") {
    throw StoreError(name + ": a string that is no filter of ours is there, and is left alone");
  }
  if (said == "gone") throw StoreError(name + ": no filter is there");
  if (said == "unlike") {
    throw StoreError(name + ": another filter is there than was asked for, and is left alone");
  }
  if (said == "unsure") {
    throw StoreError(name +
                     ": the bitmap there is shorter than its settings say, and may be no filter; "
                     "trust=bits in the location says that it is one");
  }
  if (said == "counts") {
    throw StoreError(
        name +
        ": it has counters, from which its system erases keys: bits that are put there "
        "beside them would be lost with the next key that shares them");
  }
  throw StoreError(name +
                   ": the key beside it was lost before the exchange, and nothing was exchanged");
}

}  // namespace bloomery::redis
