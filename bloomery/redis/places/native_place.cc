// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/native_place.h"

#include <algorithm>
#include <utility>

#include "bloomery/filter/any_filter.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/lines.h"
#include "bloomery/redis/places/own_string.h"
#include "bloomery/redis/places/own_string_insertion.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kKeysAsked = 10'000;
// Fewer are set by a script, in one trip.
constexpr std::size_t kKeysToExchange = 256;

}  // namespace

NativeDialect::NativeDialect(std::shared_ptr<Client> client, std::string key, std::string name,
                             NativeBitmapHead opened, const NativeSettings& settings)
    : ServerDialect(name),
      client_(client),
      string_(std::move(client), std::move(key), std::move(name), std::move(opened)) {
  if (settings.step_bytes != 0) string_.keep_steps(settings.step_bytes);
}

std::size_t NativeDialect::ask(std::span<const Key> keys, std::span<Presence> answers,
                               Proofs& proofs, const CallContext& context) {
  keys = keys.first(std::min(keys.size(), kKeysAsked));
  string_.answer(string_.travel(string_.bits_of(keys), context), answers, proofs, context);
  return keys.size();
}

std::size_t NativeDialect::insert(InsertCall call, std::span<const Key> keys,
                                  std::span<Inserted> outcomes, const CallContext& context) {
  keys = keys.first(std::min(keys.size(), string_.most_keys_set()));
  const KeyBits bits = string_.bits_of(keys);
  for (std::size_t key = 0; key < bits.size();) {
    string_.require_not_lost();
    OwnString::Insertion trip = string_.insertion(call, bits, key);
    const Inserted old = string_.run(trip, context) ? Inserted::present : Inserted::unknown;
    trip.tell(string_.sets_lines(), old, outcomes);
    outcomes = outcomes.subspan(std::min(trip.key_count(), outcomes.size()));
    key += trip.key_count();
  }
  return keys.size();
}

PlaceHead NativeDialect::head(const CallContext& context) {
  return string_.need_head(context)->place_head();
}

std::optional<AnyFilter> NativeDialect::copy(const CallContext& context) {
  HeapWords words(string_.layout().body_bytes / sizeof(std::uint64_t));
  const auto heads = string_.read_body(std::as_writable_bytes(words.words()), context);
  return open_read_body(*heads.back(), std::move(words));
}

bool NativeDialect::step(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                         const CallContext& context) {
  KeyBits bits = string_.bits_of(keys);
  if (string_.sets_lines()) bits = sorted(bits);
  string_.require_not_lost();
  OwnString::Head old = string_.head_to_step_from(head, context);
  if (!old) return false;
  const InsertCall call = next_insert_call();
  std::size_t key = 0;
  do {
    OwnString::Insertion trip = string_.insertion(call, bits, key, old, next);
    if (string_.exchange(trip, kKeysToExchange, context)) {
      old = trip.parts.back().next;
    } else {
      string_.run(trip, context);
      old = string_.finish_step(trip);
    }
    if (!old) return false;
    key += trip.key_count();
  } while (key < bits.size());
  head = old->place_head();
  return true;
}

void NativeDialect::destroy() {
  delete_native(*client_, string_.key());
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
  const bool was_there = say_of_key(client, "DEL", key);
  // The stream goes by itself if this fails.
  const std::string stream = step_stream_key(key);
  client.run(Request().add({"DEL", stream}).about(stream), Repeat::safe);
  return was_there;
}

}  // namespace bloomery::redis
