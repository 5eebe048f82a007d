// SPDX-License-Identifier: Apache-2.0
// A filter in a string, read as a whole.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "bloomery/bits/byte_order.h"
#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/rates.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/format/settings.h"
#include "bloomery/redis/client/errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/key_beside.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/redis/places/native_trip.h"
#include "bloomery/redis/places/partition_keys.h"
#include "bloomery/redis/places/partitioned_place.h"
#include "bloomery/redis/places/run_reading.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kPieceOfCopy = 1024 * 1024;

// One block of the body against its checksum in the table.
void check_blocks(std::span<const std::byte> body, std::span<const std::byte> table,
                  const std::string& name) {
  for (std::size_t at = 0; at < body.size(); at += kBlockBytes) {
    const auto block = body.subspan(at, std::min<std::size_t>(kBlockBytes, body.size() - at));
    if (crc32c(block) == get_number<std::uint32_t>(table, at / kBlockBytes * 4)) continue;
    throw StoreError(name + ": damaged: checksum of body block " +
                     std::to_string(at / kBlockBytes) + " does not match");
  }
}

// Whether a head is whole, be the string as long as it says or not.
bool is_head_of_ours(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes) return false;
  const auto head = std::as_bytes(std::span(bytes));
  const auto layout = FileLayout::of(get_number<std::uint16_t>(head, kFieldBytesAt),
                                     get_number<std::uint64_t>(head, kBodyBitsAt));
  try {
    read_native_head(bytes, layout.file_bytes);
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

}  // namespace

NativeBitmapHead read_native_head(Client& client, const std::string& key, const std::string& name,
                                  const CallContext& context) {
  const std::string nonce = next_nonce();
  Request request;
  request.about(key);
  begin_transaction(request, nonce);
  request.add({"STRLEN", key});
  request.add({"GETRANGE", key, "0", std::to_string(kMaxHeadBytes - 1)}).add({"EXEC"});
  const Answer answer = run_reading(client, request, context);
  const auto& all = read_exec(answer.replies, 4, nonce, name);
  for (const Reply& reply : all) {
    if (reply.is(Reply::Type::error)) throw RefusedError(name, reply.text);
  }
  if (!all[2].is(Reply::Type::number) || all[2].number < 0 || !all[3].is(Reply::Type::text)) {
    fail_answer(name, "its head");
  }
  if (all[2].number == 0) throw StoreError(name + ": no filter is there");
  try {
    return read_native_head(all[3].text, static_cast<std::uint64_t>(all[2].number));
  } catch (const FormatError& error) {
    const std::string said = name + ": " + error.what();
    if (is_head_of_ours(all[3].text)) throw DamagedFilterError(said);
    throw NoFilterError(said);
  }
}

// With its head at that moment: bits that an older state of the filter had, as a failover brings it
// back for a while, are not taken for those of the watermark that was read first.
Reply NativePlace::read_piece(std::uint64_t from, std::uint64_t count,
                              const NativeBitmapHead& first, const CallContext& context) {
  Seen seen;
  Request request;
  request.about(key_);
  begin_transaction(request, seen.nonce);
  request.add({"STRLEN", key_}).add({"GETRANGE", key_, "0", std::to_string(head_length_ - 1)});
  request.add({"GETRANGE", key_, std::to_string(from), std::to_string(from + count - 1)});
  request.add({"EXEC"});
  const Answer answer = run_reading(*client_, request, context);
  const auto& all = read_exec(answer.replies, 5, seen.nonce, name_);
  read_beginning(all, client_->location().allow_replica, seen);
  if (!seen.is_primary) client_->suspect(key_);
  if (!seen.doubt.empty()) fail(seen.doubt);
  const Head& now = seen.head;
  if (now->header.notes.identity != first.header.notes.identity) {
    fail("another filter took its place while it was read");
  }
  const auto reached = now->header.notes.reached();
  const auto needed = context.fence != nullptr ? std::optional(context.fence->at_least)
                                               : first.header.notes.reached();
  if (needed && !(reached && reached->reaches(*needed))) {
    fail("its watermark is below what is needed, or went back while it was read");
  }
  if (!all[4].is(Reply::Type::text) || all[4].text.size() != count) {
    fail("it became shorter while it was read");
  }
  return all[4];
}

NativeBitmapHead NativePlace::read_body(std::span<std::byte> body, const CallContext& context) {
  const Head head = need_head(context);
  std::vector<std::byte> table(layout_.table_bytes);
  for (std::uint64_t at = 0; at < layout_.file_bytes - layout_.body_offset; at += kPieceOfCopy) {
    const std::uint64_t from = layout_.body_offset + at;
    const std::uint64_t count = std::min<std::uint64_t>(kPieceOfCopy, layout_.file_bytes - from);
    const Reply piece = read_piece(from, count, *head, context);
    const auto bytes = std::as_bytes(std::span(piece.text));
    const std::uint64_t in_body =
        std::min<std::uint64_t>(count, at < body.size() ? body.size() - at : 0);
    if (in_body > 0) std::ranges::copy(bytes.first(in_body), body.subspan(at).begin());
    if (in_body == count) continue;
    std::ranges::copy(bytes.subspan(in_body),
                      table.begin() + static_cast<std::ptrdiff_t>(at + in_body - body.size()));
  }
  // The same filter as before, whose bits have only been set meanwhile.
  const Head after = need_head(context);
  if (after->header.notes.identity != head->header.notes.identity) {
    fail("another filter took its place while it was read");
  }
  if (!after->header.is_live) check_blocks(body, table, name_);
  return *after;
}

AnyFilter open_read_body(const NativeBitmapHead& head, HeapWords words) {
  FilterContents contents = head.header.contents;
  std::uint64_t ones = 0;
  for (const std::uint64_t word : words.words()) {
    ones += static_cast<std::uint64_t>(std::popcount(word));
  }
  // Nobody counts there; what chance makes of an estimate is no news.
  constexpr double kNoise = 1.03;
  const double estimate = estimate_cardinality(contents.parameters.geometry, ones);
  const bool is_more = estimate > kNoise * static_cast<double>(contents.inserted);
  if (head.header.is_live && is_more && std::isfinite(estimate)) {
    contents.inserted = static_cast<std::uint64_t>(std::llround(estimate));
  }
  return open_any(contents, std::move(words));
}

AnyFilter NativePlace::copy(const CallContext& context) {
  HeapWords words(layout_.body_bytes / sizeof(std::uint64_t));
  const NativeBitmapHead head = read_body(std::as_writable_bytes(words.words()), context);
  return open_read_body(head, std::move(words));
}

std::optional<std::uint32_t> take_native_settings(Location& location) {
  take_trust(location);  // it needs none
  const auto partitions = take_partitions(location);
  refuse_settings(location.settings, "bitmap:" + location.text(), "its head says all");
  return partitions;
}

bool destroy_native(Client& client) {
  Location location = client.location();
  const std::string name = "bitmap:" + location.text();
  std::uint32_t count = take_native_settings(location).value_or(1);
  const std::string last = std::to_string(native_magic().size() - 1);
  const Answer answer = client.run(
      Request().add({"GETRANGE", location.key, "0", last}).about(location.key), Repeat::safe);
  const Reply& begin = answer.replies.at(0);
  if (begin.is(Reply::Type::error) && refusal_of(begin.text) == Refusal::wrong_type) {
    refuse_exchange("type", name);
  }
  const std::string& there = require_done(begin, location).text;
  if (!there.empty() && there != native_magic()) refuse_exchange("stranger", name);
  try {
    const auto head = read_native_head(client, location.key, location.text());
    if (head.header.part && head.header.part->is_index()) count = head.header.part->count;
  } catch (const StoreError&) {
    // Whatever it is, or is not.
  }
  if (count > 1) return destroy_partitions(client, location.key, count);
  return delete_native(client, location.key);
}

namespace {

// What is at the key. Where its node does not answer, and the location says how many partitions
// there are, the head of any of them tells as much. All of it takes no longer than one call: each
// has half of the time that is left.
NativeBitmapHead head_to_open(Client& client, const std::string& key, const std::string& name,
                              std::uint32_t partitions) {
  if (partitions <= 1) return read_native_head(client, key, name);
  constexpr std::chrono::milliseconds kLeast{5};
  const auto end = CallContext::Clock::now() + client.location().timeout;
  std::exception_ptr of_index;
  for (std::uint32_t i = 0; i <= partitions; ++i) {
    const auto left = end - CallContext::Clock::now();
    if (of_index && left < kLeast) break;
    const bool is_index = i == 0;
    try {
      const std::string& part = is_index ? key : partition_key(key, i - 1, partitions);
      NativeBitmapHead head = read_native_head(client, part, name, {.deadline = end - left / 2});
      if (is_index) return head;
      const auto& number = head.header.part;
      if (!number || number->index != i - 1 || number->count != partitions) continue;
      head.header.part->index = partitions;
      return head;
    } catch (const CallAborted&) {
      if (is_index) {
        of_index = std::make_exception_ptr(
            TimeoutError(name + ": no answer within the time for its index" + kTimeoutAdvice));
      }
    } catch (const ConnectionError&) {
      if (is_index) of_index = std::current_exception();
    } catch (const StoreError&) {
      if (is_index) throw;
    }
  }
  std::rethrow_exception(of_index);
}

}  // namespace

std::unique_ptr<FilterPlace> open_native_place(std::string_view text, bool writes) {
  Location location = parse_location(text);
  const std::string name = "bitmap:" + location.text();
  const auto partitions = take_native_settings(location);
  const std::string key = location.key;
  const auto client = std::make_shared<Client>(std::move(location));
  NativeBitmapHead head = head_to_open(*client, key, name, partitions.value_or(1));
  const auto& part = head.header.part;
  const std::uint32_t count = part ? part->count : 1;
  if (part && !part->is_index()) {
    throw StoreError(name + ": partition " + std::to_string(part->index) + " of " +
                     std::to_string(count) + " of a filter, which is opened by its own name");
  }
  if (partitions && *partitions != count) {
    throw StoreError(name + ": a filter in " +
                     (count == 1 ? "one string" : std::to_string(count) + " partitions") +
                     " is there");
  }
  if (part) return std::make_unique<PartitionedPlace>(client, name, head, writes);
  const bool is_live = head.header.is_live;
  auto place = std::make_unique<NativePlace>(client, key, name, std::move(head), writes);
  // Before anybody believes it, or makes the checksums void.
  if (!is_live) place->copy();
  if (writes) place->make_live({});
  return place;
}

}  // namespace bloomery::redis
