// SPDX-License-Identifier: Apache-2.0
// Filters in strings, opened and removed.
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
#include "bloomery/format/settings.h"
#include "bloomery/redis/client/numbers.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/key_beside.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/redis/places/native_place.h"
#include "bloomery/redis/places/partition_keys.h"
#include "bloomery/redis/places/partitioned_place.h"
#include "bloomery/redis/places/run_reading.h"

namespace bloomery::redis {
namespace {

// Returns whether a header is whole, be the string as long as it says or not.
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

NativeSettings take_native_settings(Location& location) {
  take_trust(location);  // it needs none
  NativeSettings settings{.partitions = take_partitions(location)};
  if (const auto found = location.settings.find("deltas"); found != location.settings.end()) {
    std::uint64_t& bytes = settings.step_bytes;
    if (!read_number(found->second, bytes) ||
        (bytes != 0 && (bytes < kLeastStepBytes || bytes > kMostStringBytes))) {
      throw std::invalid_argument("deltas=" + found->second +
                                  ": bytes of what came, kept for copies elsewhere; allowed: " +
                                  std::to_string(kLeastStepBytes) + " to " +
                                  std::to_string(kMostStringBytes) + ", and 0 for none");
    }
    location.settings.erase(found);
  }
  refuse_settings(location.settings, "bitmap:" + location.text(), "its head says all");
  return settings;
}

bool destroy_native(Client& client) {
  Location location = client.location();
  const std::string name = "bitmap:" + location.text();
  std::uint32_t count = take_native_settings(location).partitions.value_or(1);
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

// Reads the head at the key. If its node does not answer, and the location says how many partitions
// there are, the head of any partition says as much. All of this takes no longer than one call:
// each question has half of the time that is left.
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
  const NativeSettings settings = take_native_settings(location);
  const auto& partitions = settings.partitions;
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
  if (part) {
    return std::make_unique<ServerPlace>(
        std::make_unique<PartitionsDialect>(client, name, head, settings, writes),
        client->location(), writes);
  }
  const bool is_live = head.header.is_live;
  auto dialect = std::make_unique<NativeDialect>(client, key, name, std::move(head), settings);
  // Before anybody believes it, or makes the checksums void.
  if (!is_live) dialect->copy({});
  if (writes) dialect->make_live({});
  return std::make_unique<ServerPlace>(std::move(dialect), client->location(), writes);
}

}  // namespace bloomery::redis
