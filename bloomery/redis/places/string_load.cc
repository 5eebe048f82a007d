// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/string_load.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/redis/client/script.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/key_type.h"
#include "bloomery/redis/places/native_place.h"

namespace bloomery::redis {
namespace {

constexpr int kMostExchanges = 10;

// KEYS: the filter, the key beside it. ARGV: bytes and bits of the latter, what becomes of a filter
// that is there, its head (or of "this" filter what names it), the head that the new one then gets,
// and when it expires where nothing is there. To "try" is to do what may be refused, in vain.
constexpr auto kExchangeString = joined(kExpiryOf, R"(
local live, next = KEYS[1], KEYS[2]
if redis.call('STRLEN', next) ~= tonumber(ARGV[1]) then return 'lost' end
if redis.call('BITCOUNT', next) ~= tonumber(ARGV[2]) then return 'lost' end
local found = redis.call('TYPE', live).ok
if found ~= 'string' and found ~= 'none' then return 'type' end
if found == 'string' and ARGV[3] == 'new' then return 'taken' end
if found == 'string' and ARGV[3] == 'ours' then
  if redis.call('GETRANGE', live, 0, 7) ~= redis.call('GETRANGE', next, 0, 7) then return 'stranger' end
end
if ARGV[3] == 'try' then
  local now = redis.call('TIME')
  redis.call('RENAME', next, next)
  redis.call('PERSIST', next)
  redis.call('PEXPIREAT', next, string.format('%.0f', now[1] * 1000 + 3600000))
  expiry_of(live)
  return 'done'
end
if ARGV[3] == 'this' then
  if found == 'none' then return 'gone' end
  if not string.find(redis.call('GETRANGE', live, 0, 65535), ARGV[4], 1, true) then return 'unlike' end
end
if ARGV[3] == 'keep' then
  if redis.call('STRLEN', live) ~= tonumber(ARGV[1]) then return 'moved' end
  if redis.call('GETRANGE', live, 0, #ARGV[4] - 1) ~= ARGV[4] then return 'moved' end
  redis.call('BITOP', 'OR', next, next, live)
  redis.call('SETRANGE', next, 0, ARGV[5])
end
local at = expiry_of(live)
if found == 'none' and ARGV[6] ~= '' then at = ARGV[6] end
if at then redis.call('PEXPIREAT', next, at) else redis.call('PERSIST', next) end
redis.call('RENAME', next, live)
return 'done'
)");

// All of a string; of a part of a filter its lines, and no checksums, which are void anyway.
std::vector<std::byte> bytes_of_native(const FileHeader& header) {
  const FilterContents& contents = header.contents;
  const auto head = encode_head(header);
  std::vector<std::byte> bytes;
  bytes.reserve(header.layout.file_bytes);
  if (header.part) {
    const auto body = std::as_bytes(contents.words.front())
                          .subspan(header.part->bit_begin() / 8, header.part->body_bits() / 8);
    bytes.insert(bytes.end(), head.begin(), head.end());
    bytes.insert(bytes.end(), body.begin(), body.end());
    bytes.resize(header.layout.file_bytes);
    return bytes;
  }
  const NativeHead sealed(contents, header.notes);
  write_native(sealed, contents,
               [&](auto piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  std::ranges::copy(head, bytes.begin());
  return bytes;
}

// The head of the old filter and the new one's contents.
FileHeader merged(const FileHeader& old, const FilterContents& contents) {
  FileHeader header = old;
  header.contents.inserted = std::max(old.contents.inserted, contents.inserted);
  header.is_live = true;
  if (!header.notes.identity.is_set()) header.notes.identity = Identity::random();
  return header;
}

// Reads the head of a filter that is to be kept (OldFilter::keep); nothing if none is to be kept,
// or nothing is at the key.
std::optional<NativeBitmapHead> old_head(Client& client, const std::string& key,
                                         const std::string& name, const BulkOptions& options) {
  if (options.old != OldFilter::keep || !native_exists(client, key)) return std::nullopt;
  NativeBitmapHead head = read_native_head(client, key, name);
  // The checksums of the old filter will be void: nobody looks at them again.
  if (!head.header.is_live) {
    NativeDialect({std::shared_ptr<Client>(), &client}, key, name, head).copy({});
  }
  return head;
}

}  // namespace

FileLayout layout_of(const FileHeader& header) {
  const std::uint64_t bits =
      header.part ? header.part->body_bits() : header.contents.word_count() * kWordBits;
  FileLayout layout = FileLayout::of(0, bits);
  const auto moved = encode_head(header).size() - layout.body_offset;
  layout.body_offset += moved;
  layout.table_offset += moved;
  layout.file_bytes += moved;
  return layout;
}

std::string naming_bytes(const NativeBitmapHead& head) {
  const Identity& identity = head.header.notes.identity;
  if (!identity.is_set()) return head.bytes;
  std::array<std::byte, 16> bytes;
  put_number(std::span(bytes), 0, identity.high);
  put_number(std::span(bytes), 8, identity.low);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

StringLoad::StringLoad(Client& client, std::string key, std::string name, FileHeader header,
                       const BulkOptions& options, std::optional<std::string> cleared)
    : client_(client),
      key_(std::move(key)),
      name_(std::move(name)),
      header_(std::move(header)),
      options_(options),
      cleared_(std::move(cleared)),
      old_(old_head(client, key_, name_, options)),
      keeps_old_(old_.has_value()) {
  if (old_ && !header_.part) header_.notes = merged(old_->header, header_.contents).notes;
  header_.layout = layout_of(header_);
  // Before the pieces travel, and before an index goes.
  require_string();
  require_same();
  beside_.emplace(client_, name_, key_, bytes_of_native(header_));
}

std::string StringLoad::run_script(const Replaced& replaced, std::string_view new_head,
                                   std::string_view expires) {
  const std::string byte_count = std::to_string(beside_->byte_count());
  const std::string bit_count = std::to_string(beside_->bit_count());
  const std::array<std::string_view, 11> words{
      "EVAL",    kExchangeString, "2",           key_,     beside_->key(), byte_count,
      bit_count, replaced.mode,   replaced.head, new_head, expires};
  return beside_->run_script(words);
}

void StringLoad::rehearse() {
  try {
    read_native_head(client_, key_, name_);
  } catch (const RefusedError&) {
    throw;
  } catch (const ConnectionError&) {
    throw;
  } catch (const StoreError&) {
    // No filter is there.
  }
  const std::string said = run_script({"try"}, {}, {});
  if (said != "done") refuse(said);
}

void StringLoad::exchange(std::string_view expires, const std::function<void()>& require_first) {
  const bool takes_over = is_dropped(options_.old);
  const bool may_be_there = options_.old != OldFilter::refuse;
  for (int i = 0; i < kMostExchanges; ++i) {
    // The watermark of the old filter may have moved meanwhile.
    if (i > 0 || old_) old_ = old_head(client_, key_, name_, options_);
    require_same();
    const std::string new_head =
        old_ ? head_bytes(merged(old_->header, header_.contents), name_) : "";
    const Replaced replaced = takes_over ? what_is_there() : this->replaced();
    if (takes_over && require_first) require_first();
    const std::string said = run_script(replaced, new_head, expires);
    if (said == "done") return beside_->is_done();
    const bool has_changed = said == "taken" || said == "gone" || said == "unlike";
    const bool may_go_on = said == "moved" || (said == "taken" && may_be_there && !header_.part) ||
                           (takes_over && has_changed);
    if (!may_go_on) refuse(said);
  }
  throw StoreError(name_ + ": its head changes all the time, and the old filter is as it was");
}

StringLoad::Replaced StringLoad::replaced() const {
  if (cleared_) return {"this", *cleared_};
  if (old_) return {"keep", old_->bytes};
  if (!is_dropped(options_.old)) return {"new"};
  return {options_.old == OldFilter::drop ? "drop" : "ours"};
}

// A load that discards takes the place of the filter that is there now, and of nothing else.
StringLoad::Replaced StringLoad::what_is_there() {
  discarded_.reset();
  if (!native_exists(client_, key_)) return {"new"};
  try {
    discarded_ = read_native_head(client_, key_, name_);
    return {"this", naming_bytes(*discarded_)};
  } catch (const ConnectionError&) {
    throw;
  } catch (const StoreError&) {
    return replaced();  // no filter
  } catch (const FormatError&) {
    return replaced();
  }
}

void StringLoad::require_string() {
  const std::string type = key_type(client_, key_);
  if (type != "string" && type != "none") refuse("type");
}

void StringLoad::require_same() {
  // The new one has its watermark, but not what others added until it went.
  if (keeps_old_ && !old_ && !header_.part) {
    throw StoreError(name_ +
                     ": the filter there was lost while another was loaded into its place, with "
                     "what others may have added to it; load it again");
  }
  if (is_kept() && !old_) {
    throw StoreError(name_ +
                     ": it is gone, with what others may have added to it; --discard "
                     "makes all partitions anew");
  }
  if (!old_) return;
  if (!old_->has_bits_of({.header = header_})) refuse("other");
  if (!is_kept() || old_->header.notes.identity == header_.notes.identity) return;
  throw StoreError(name_ +
                   ": it is of another filter than its index; --discard makes all "
                   "partitions anew");
}

// Returns whether the string takes the place of a part of a filter that is there: then all parts
// are.
bool StringLoad::is_kept() const {
  return header_.part && options_.old == OldFilter::keep;
}

void StringLoad::refuse(const std::string& said) const {
  if (said == "taken" && header_.part) {
    throw StoreError(name_ +
                     ": something is there, and no index: a load that did not end, or a "
                     "filter that lost it; bloomery destroy with ?partitions=" +
                     std::to_string(header_.part->count) + " removes it");
  }
  const bool is_index_gone = is_dropped(options_.old) || cleared_;
  if (said == "lost" && header_.part && is_index_gone) {
    throw StoreError(name_ +
                     ": the key beside it was lost before the exchange, when the index of the "
                     "old filter was gone already; load it again");
  }
  refuse_exchange(said, name_);
}

}  // namespace bloomery::redis
