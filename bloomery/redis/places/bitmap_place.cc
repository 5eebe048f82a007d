// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/bitmap_place.h"

#include <algorithm>
#include <optional>
#include <random>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/bitmap_transaction.h"
#include "bloomery/redis/places/bulk_load.h"
#include "bloomery/redis/places/run_reading.h"
#include "bloomery/redis/places/set_bits.h"

namespace bloomery::redis {
namespace {

// A transaction holds the server up while it runs: some 5 ms.
constexpr std::size_t kProbesAtOnce = 14'000;
constexpr std::size_t kProbesSetAtOnce = 2'500;
constexpr std::size_t kProbesInTrip = 100'000;

}  // namespace

// The keys of one transaction.
struct BitmapDialect::Part {
  InsertCall call = 0;
  std::size_t key_count = 0;
  std::string nonce = next_nonce();
  std::vector<std::uint64_t> positions{};
  // The trailer to which the part before has brought it, and the next one.
  std::string old_trailer{};
  std::string next_trailer{};
  TransactionResult result{};
};

// The replies of a round trip, of all its transactions.
struct BitmapDialect::Found {
  std::vector<bool> all_set{};                     // a key each: whether all of its bits were set
  std::string doubt{};                             // nothing may be believed
  std::string not_ours{};                          // or only behind a fence
  std::vector<std::optional<Trailer>> trailers{};  // of each transaction
  bool has_stepped = true;                         // in each transaction
  std::string bitmap{};                            // of a copy
  std::uint64_t byte_count = 0;
  bool repeated = false;

  void require_none(const std::string& name) const {
    if (!doubt.empty()) throw StoreError(name + ": " + doubt);
    if (!not_ours.empty()) throw ExchangedError(name + ": " + not_ours);
  }
  // Returns whether each transaction met a trailer whose watermark has reached `needed` and whose
  // keys were written in the form `keys`. If a caller asks in another form, all keys would seem
  // absent.
  bool reaches(const Watermark& needed, const KeyForm& keys) const {
    return std::ranges::all_of(trailers, [&](const std::optional<Trailer>& trailer) {
      const auto reached = trailer ? trailer->notes.reached() : std::nullopt;
      return reached && reached->reaches(needed) && trailer->keys == keys;
    });
  }
};

BitmapDialect::BitmapDialect(std::unique_ptr<Client> client, LiveBitmap filter)
    : ServerDialect(filter.name), client_(std::move(client)), filter_(std::move(filter)) {}

std::vector<BitmapDialect::Part> BitmapDialect::split(std::span<const Key> keys, Touch touch,
                                                      InsertCall call) const {
  const std::uint32_t probes = filter_.parameters.geometry.probe_count;
  const std::size_t at_once = touch == Touch::set ? kProbesSetAtOnce : kProbesAtOnce;
  const std::size_t keys_at_once = std::max<std::size_t>(1, at_once / probes);
  keys = keys.first(std::min(keys.size(), std::max<std::size_t>(1, kProbesInTrip / probes)));
  std::vector<Part> parts;
  do {
    Part& part = parts.emplace_back(Part{.call = call});
    part.key_count = std::min(keys_at_once, keys.size());
    part.positions.reserve(part.key_count * probes);
    for (const Key key : keys.first(part.key_count)) filter_.positions(key, part.positions);
    keys = keys.subspan(part.key_count);
  } while (!keys.empty());
  return parts;
}

BitmapDialect::Found BitmapDialect::travel(std::span<const Key> keys, Touch touch,
                                           const CallContext& context, InsertCall call) {
  return exchange(split(keys, touch, call), touch, context);
}

BitmapDialect::Found BitmapDialect::exchange(std::vector<Part> parts, Touch touch,
                                             const CallContext& context) {
  const LostBits::Known known = lost_.known();
  Request request;
  request.about(filter_.key);
  for (const Part& part : parts) {
    append_transaction(request, filter_, touch, part.nonce, known.positions, part.positions,
                       known.byte_count, {part.old_trailer, part.next_trailer});
  }
  const bool allow_replica = client_->location().allow_replica;
  const std::size_t replies_each = replies_of_transaction(filter_, touch);
  const auto read = [&](std::span<const Reply> replies) {
    for (Part& part : parts) {
      part.result = read_transaction(replies.first(replies_each), filter_, touch, part.nonce,
                                     known.positions, part.positions.size(), allow_replica);
      replies = replies.subspan(replies_each);
    }
  };
  const Answer answer = touch == Touch::set ? client_->run(request, Repeat::safe, context, read)
                                            : run_reading(*client_, request, context, read);
  if (!std::ranges::all_of(parts, [](const Part& part) { return part.result.is_primary; })) {
    client_->suspect(filter_.key);
  }
  return judge(parts, known, touch, answer.repeated);
}

BitmapDialect::Found BitmapDialect::judge(std::vector<Part>& parts, const LostBits::Known& known,
                                          Touch touch, bool repeated) {
  Found found{.repeated = repeated};
  LostBits::Known so_far = known;
  for (const Part& part : parts) {
    const TransactionResult& result = part.result;
    found.byte_count = result.byte_count;
    found.trailers.push_back(result.trailer);
    found.has_stepped = found.has_stepped && result.has_stepped;
    std::string doubt = result.doubt;
    if (doubt.empty() && !is_opened(result.trailer)) {
      found.not_ours = result.trailer
                           ? "another bitmap has taken its place since it was opened"
                           : "its trailer is gone: it was deleted, evicted or written anew";
    } else if (doubt.empty()) {
      const auto lost = lost_.judge(so_far, result);
      if (lost) found.not_ours = *lost;
    }
    so_far.byte_count = std::max(so_far.byte_count, result.byte_count);
    const std::uint64_t most =
        trailer_offset(filter_.parameters) + (filter_.has_trailer ? kTrailerBytes : 0);
    if (doubt.empty() && result.byte_count > most) {
      doubt = "its bitmap has " + std::to_string(result.byte_count) + " bytes, and its " +
              std::to_string(filter_.parameters.geometry.bit_count) + " bits take " +
              std::to_string(most) +
              ": it was written with another size, or has a trailer (trailer=1)";
    }
    if (doubt.empty() && result.byte_count == 0) {
      // The first keys of a new filter make it.
      const bool may_be_new =
          touch == Touch::set && &part == &parts.front() && !filter_.has_trailer;
      if (!may_be_new || known.is_anything()) {
        doubt = "its bitmap " + filter_.key + " is not there";
      }
    }
    // A step that was not taken says as much.
    const bool is_refused = !result.has_set && part.next_trailer.empty();
    if (doubt.empty() && found.not_ours.empty() && is_refused) {
      doubt = "another bitmap took its place, and nothing was set";
    }
    if (found.doubt.empty()) found.doubt = std::move(doubt);
    add_answers(part, found.all_set);
  }
  found.bitmap = std::move(parts.front().result.bitmap);
  if (found.doubt.empty() && found.not_ours.empty()) {
    if (touch == Touch::set) {
      learn_set(parts, repeated);
    } else {
      for (const Part& part : parts) learn(part);
    }
  }
  return found;
}

bool BitmapDialect::is_opened(const std::optional<Trailer>& trailer) const noexcept {
  if (!filter_.has_trailer) return true;
  if (!opened_) return !trailer.has_value();
  return trailer && trailer->notes.identity == opened_->notes.identity;
}

const KeyForm& BitmapDialect::keys() const noexcept {
  return opened_ ? opened_->keys : filter_.parameters.keys;
}

Presence BitmapDialect::missing(const Found& found, const CallContext& context) const {
  if (!found.doubt.empty()) return Presence::unknown;
  const bool is_sure = context.fence != nullptr
                           ? found.reaches(context.fence->at_least, keys())
                           : found.not_ours.empty() && (filter_.trusts_bits || opened_);
  return is_sure ? Presence::absent : Presence::unknown;
}

void BitmapDialect::add_answers(const Part& part, std::vector<bool>& all_set) const {
  const std::size_t probes = filter_.parameters.geometry.probe_count;
  const std::vector<bool>& bits = part.result.bits;
  for (std::size_t i = 0; i < part.key_count; ++i) {
    bool is_there = !bits.empty();
    for (std::size_t bit = i * probes; is_there && bit < (i + 1) * probes; ++bit) {
      is_there = bits[bit];
    }
    all_set.push_back(is_there);
  }
}

void BitmapDialect::learn_set(std::span<const Part> parts, bool repeated) {
  std::vector<std::uint64_t> changed;
  std::vector<std::uint64_t> touched;
  for (const Part& part : parts) {
    touched.insert(touched.end(), part.positions.begin(), part.positions.end());
    const std::vector<bool>& were_set = part.result.bits;
    for (std::size_t i = 0; i < were_set.size(); ++i) {
      if (!were_set[i]) changed.push_back(part.positions[i]);
    }
  }
  lost_.learn(parts.front().call, {.changed = changed, .touched = touched, .repeated = repeated});
}

void BitmapDialect::learn(const Part& part) {
  // A few are enough.
  const std::vector<bool>& bits = part.result.bits;
  const auto set = std::ranges::find(bits, true);
  if (set == bits.end()) return;
  lost_.learn(std::span(part.positions).subspan(static_cast<std::size_t>(set - bits.begin()), 1));
}

std::size_t BitmapDialect::ask(std::span<const Key> keys, std::span<Presence> answers,
                               Proofs& proofs, const CallContext& context) {
  const Found found = travel(keys, Touch::read, context);
  prove(found, proofs);
  const Presence no = missing(found, context);
  std::transform(found.all_set.begin(), found.all_set.end(), answers.begin(),
                 [no](bool is_there) { return is_there ? Presence::maybe : no; });
  return found.all_set.size();
}

std::size_t BitmapDialect::insert(InsertCall call, std::span<const Key> keys,
                                  std::span<Inserted> outcomes, const CallContext& context) {
  if (const auto lost = lost_.verdict()) fail(*lost);
  const Found found = travel(keys, Touch::set, context, call);
  found.require_none(name());
  for (std::size_t i = 0; i < std::min(found.all_set.size(), outcomes.size()); ++i) {
    const Inserted old = found.repeated ? Inserted::unknown : Inserted::present;
    outcomes[i] = found.all_set[i] ? old : Inserted::added;
  }
  return found.all_set.size();
}

// The filter that it opens is the one that it then asks.
void BitmapDialect::look() {
  constexpr std::size_t kSample = 64;
  std::minstd_rand random(std::random_device{}());
  std::vector<Part> sample(1);
  for (std::size_t i = 0; i < kSample; ++i) {
    const std::uint64_t number = (std::uint64_t{random()} << 31) ^ random();
    sample[0].positions.push_back(number % filter_.parameters.geometry.bit_count);
  }
  const Found found = exchange(std::move(sample), Touch::read, {});
  if (!found.doubt.empty()) return;
  opened_ = found.trailers.front();
  if (filter_.has_trailer) return;
  // The last byte of what SETBIT has made has a bit that is set.
  std::vector<Part> last(1);
  for (std::uint64_t bit = 0; bit < 8; ++bit) {
    last[0].positions.push_back(8 * (found.byte_count - 1) + bit);
  }
  exchange(std::move(last), Touch::read, {});
}

void BitmapDialect::destroy() {
  redis::destroy(*client_, *filter_.format);
}

PlaceHead BitmapDialect::head(const CallContext& context) {
  const Found found = travel({}, Touch::read, context);
  if (!filter_.has_trailer || !found.doubt.empty()) found.require_none(name());
  const std::optional<Trailer>& trailer = found.trailers.front();
  PlaceHead head{.parameters = filter_.parameters};
  if (trailer) {
    found.require_none(name());
    head = trailer->place_head(filter_.parameters);
  }
  const bool is_sure = filter_.trusts_bits ? found.not_ours.empty() : trailer.has_value();
  head.no_absent = is_sure ? NoAbsent::none : NoAbsent::bits_alone;
  return head;
}

// Behind a fence the trailer of another bitmap than was opened is as good a proof.
void BitmapDialect::prove(const Found& found, Proofs& proofs) const {
  for (const std::optional<Trailer>& each : found.trailers) {
    if (!each) continue;
    const FileNotes& notes = each->notes;
    proofs.add({.filter = numbers_.of(notes.identity), .watermark = notes.reached()});
  }
}

void BitmapDialect::require_watermark(const CallContext&) {
  if (!filter_.has_trailer) refuse("has no watermark; trailer=1 is for bitmaps that have one");
}

bool BitmapDialect::step(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                         const CallContext& context) {
  if (!head.identity.is_set()) return false;
  if (const auto lost = lost_.verdict()) fail(*lost);
  Trailer now{.keys = head.parameters.keys};
  now.notes.identity = head.identity;
  now.notes.source = head.watermark ? head.watermark->source : Identity();
  now.notes.watermark = head.watermark ? head.watermark->position : 0;
  now.notes.beat = head.beat;
  const InsertCall call = next_insert_call();
  do {
    std::vector<Part> parts = split(keys, Touch::set, call);
    for (Part& part : parts) {
      keys = keys.subspan(part.key_count);
      part.old_trailer = trailer_bytes(now, filter_.parameters);
      now.notes.step(keys.empty() ? std::optional(next) : std::nullopt, random_step());
      part.next_trailer = trailer_bytes(now, filter_.parameters);
    }
    const Found found = exchange(std::move(parts), Touch::set, context);
    if (!found.doubt.empty()) fail(found.doubt);
    if (!found.has_stepped) return false;
    found.require_none(name());
  } while (!keys.empty());
  const NoAbsent no_absent = head.no_absent;
  head = now.place_head(filter_.parameters);
  head.no_absent = no_absent;
  return true;
}

std::optional<AnyFilter> BitmapDialect::copy(const CallContext& context) {
  Found found = travel({}, Touch::copy, context);
  if (!found.doubt.empty() || context.fence == nullptr) found.require_none(name());
  if (context.fence != nullptr && !found.reaches(context.fence->at_least, keys())) {
    fail("its watermark is below what is needed, or it has none");
  }
  try {
    const auto bytes = std::as_bytes(std::span(found.bitmap));
    AnyFilter filter = filter_.format->decode(bytes, filter_.settings);
    const std::optional<Trailer>& trailer = found.trailers.front();
    filter.set_keys(trailer ? trailer->keys : filter_.parameters.keys);
    return filter;
  } catch (const FormatError& error) {
    fail(error.what());
  }
}

namespace {

LiveBitmap read_configured(Client& client, const Format& format) {
  const Location& location = client.location();
  const LiveBitmap names = live_names(location, format);
  const auto fields = config_fields(format).names;
  std::vector<std::string_view> words{"HMGET", names.config_key};
  words.insert(words.end(), fields.begin(), fields.end());
  const Answer answer = client.run(Request().about(names.config_key).add(words), Repeat::safe);
  const Reply& values = require_done(answer.replies.at(0), location);
  if (!values.is(Reply::Type::array) || values.elements.size() != fields.size()) {
    throw ProtocolError(location.server() + ": what came is no configuration");
  }
  FormatSettings found;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!values.elements[i].text.empty()) found[std::string(fields[i])] = values.elements[i].text;
  }
  return live_configured(location, format, found);
}

}  // namespace

LiveBitmap find_live_bitmap(Client& client, const Format& format) {
  return config_fields(format).names.empty() ? live_bitmap(client.location(), format)
                                             : read_configured(client, format);
}

std::unique_ptr<FilterPlace> open_bitmap_place(const Format& format, std::string_view location,
                                               bool writes) {
  if (!is_live_format(format)) {
    throw std::invalid_argument(std::string(format.name) +
                                ": not a format that lives in a server; those are " +
                                live_formats());
  }
  auto client = std::make_unique<Client>(parse_location(location));
  LiveBitmap filter = find_live_bitmap(*client, format);
  const bool has_trailer = filter.has_trailer;
  const Location there = client->location();
  auto dialect = std::make_unique<BitmapDialect>(std::move(client), std::move(filter));
  try {
    dialect->look();
  } catch (const StoreError&) {
    // A filter with a trailer must have been looked at here; one without a trailer begins with its
    // first answer.
    if (has_trailer) throw;
  }
  return std::make_unique<ServerPlace>(std::move(dialect), there, writes);
}

}  // namespace bloomery::redis
