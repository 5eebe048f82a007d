#include "bloomery/redis/native_load.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/filter/watermark.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/redis/key_beside.h"
#include "bloomery/redis/native_bitmap.h"
#include "bloomery/redis/native_place.h"
#include "bloomery/redis/partition_keys.h"
#include "bloomery/redis/partitioned_place.h"
#include "bloomery/redis/transaction.h"

namespace bloomery::redis {
namespace {

constexpr int kMostExchanges = 10;
// With which every filter of ours begins.
constexpr std::size_t kMagicBytes = 8;

// KEYS: the filter, the key beside it. ARGV: bytes and bits of the latter, what becomes of a filter
// that is there, its head (or of "this" filter what names it), the head that the new one then gets,
// and when it expires where nothing is there.
constexpr std::string_view kExchangeString = R"(
local live, next = KEYS[1], KEYS[2]
if redis.call('STRLEN', next) ~= tonumber(ARGV[1]) then return 'lost' end
if redis.call('BITCOUNT', next) ~= tonumber(ARGV[2]) then return 'lost' end
local found = redis.call('TYPE', live).ok
if found ~= 'string' and found ~= 'none' then return 'type' end
if found == 'string' and ARGV[3] == 'new' then return 'taken' end
if found == 'string' and ARGV[3] == 'ours' then
  if redis.call('GETRANGE', live, 0, 7) ~= redis.call('GETRANGE', next, 0, 7) then return 'stranger' end
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
local left = redis.call('PTTL', live)
if left >= 0 then
  local now = redis.call('TIME')
  local at = now[1] * 1000 + math.floor(now[2] / 1000) + left
  redis.call('PEXPIREAT', next, string.format('%.0f', at))
elseif found == 'none' and ARGV[6] ~= '' then
  redis.call('PEXPIREAT', next, ARGV[6])
else
  redis.call('PERSIST', next)
end
redis.call('RENAME', next, live)
return 'done'
)";

// KEYS: what is to go. ARGV: the bytes that it begins with where it may, and whether it must be
// there. Answers also when it would have expired, and how it began.
constexpr std::string_view kDropString = R"(
local found = redis.call('TYPE', KEYS[1]).ok
if found == 'none' then return {ARGV[2] == '1' and 'gone' or 'done', '', ''} end
if found ~= 'string' then return {'type', '', ''} end
local begin = redis.call('GETRANGE', KEYS[1], 0, 65535)
if string.sub(begin, 1, #ARGV[1]) ~= ARGV[1] then return {'stranger', '', ''} end
local left, at = redis.call('PTTL', KEYS[1]), ''
if left >= 0 then
  local now = redis.call('TIME')
  at = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000) + left)
end
redis.call('DEL', KEYS[1])
return {'done', at, begin}
)";

// KEYS: the index's. ARGV: the index, when it expires or nothing, all that may be there, or
// nothing. (SET's own PXAT is of Redis 6.2.)
constexpr std::string_view kPutIndex = R"(
local found = redis.call('TYPE', KEYS[1]).ok
if found == 'none' then
  if ARGV[3] ~= '' then return 'taken' end
else
  if found ~= 'string' or ARGV[3] == '' then return 'taken' end
  if redis.call('STRLEN', KEYS[1]) ~= #ARGV[3] then return 'taken' end
  if redis.call('GETRANGE', KEYS[1], 0, -1) ~= ARGV[3] then return 'taken' end
  redis.call('DEL', KEYS[1])
end
redis.call('SETRANGE', KEYS[1], 0, ARGV[1])
if ARGV[2] ~= '' then redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end
return 'done'
)";

struct Dropped {
  std::string said{};     // "done", or why not
  std::string expires{};  // when it would have, in milliseconds since 1970; empty: never
  std::string begin{};    // its first bytes
};

// Removes what is at the key, if it begins so.
Dropped drop_string(Client& client, const std::string& key, std::string_view begin,
                    bool must_be_there = false) {
  const std::string_view must = must_be_there ? "1" : "0";
  const Answer answer = client.run(
      Request().add({"EVAL", kDropString, "1", key, begin, must}).about(key), Repeat::never);
  const Reply& reply = require_done(answer.replies.at(0), client.location());
  if (reply.elements.size() != 3) fail_answer(key, "what became of it");
  return {.said = reply.elements[0].text,
          .expires = reply.elements[1].text,
          .begin = reply.elements[2].text};
}

FileHeader new_header(const FilterContents& contents, const std::optional<Watermark>& watermark) {
  FileHeader header;
  header.contents = contents;
  header.notes.identity = Identity::random();
  if (watermark) {
    header.notes.source = watermark->source;
    header.notes.watermark = watermark->position;
  }
  header.is_live = true;
  return header;
}

// The layout that the header will be read with.
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

// What is at a key when nothing may be lost of it; nothing where nothing is.
std::optional<NativeBitmapHead> old_head(Client& client, const std::string& key,
                                         const std::string& name, const BulkOptions& options) {
  if (!options.replace || options.discard || !native_exists(client, key)) return std::nullopt;
  return read_native_head(client, key, name);
}

// Whether what is to be empty still is the filter that was seen.
void require_same_filter(const NativeBitmapHead& old, const FileHeader& next,
                         const std::string& name) {
  const bool is_same =
      old.header.part == next.part &&
      incompatibility(old.header.contents.parameters, next.contents.parameters).empty();
  if (!is_same) refuse_exchange("unlike", name);
}

// Bytes of a head that no other filter's has.
std::string naming_bytes(const NativeBitmapHead& head) {
  const Identity& identity = head.header.notes.identity;
  if (!identity.is_set()) return head.bytes;
  std::array<std::byte, 16> bytes;
  put_number(std::span(bytes), 0, identity.high);
  put_number(std::span(bytes), 8, identity.low);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// One string on its way to its place. `cleared` is the filter that it empties, and no other.
class StringLoad {
 public:
  StringLoad(Client& client, std::string key, std::string name, FileHeader header,
             const BulkOptions& options, std::optional<std::string> cleared = {})
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

  void send(const KeyProgress& progress) { beside_->send(progress); }

  // What was discarded, if that was a filter of ours.
  const std::optional<NativeBitmapHead>& discarded() const noexcept { return discarded_; }

  // `expires` is for a string that was not there; an old one has a time of its own. Of a part that
  // is made anew `require_first` is called once it is known what it replaces, and nothing else.
  void exchange(std::string_view expires = {}, const std::function<void()>& require_first = {}) {
    const std::string byte_count = std::to_string(beside_->byte_count());
    const std::string bit_count = std::to_string(beside_->bit_count());
    const bool takes_over = options_.discard && !cleared_;
    for (int i = 0; i < kMostExchanges; ++i) {
      // Its watermark may have moved meanwhile.
      if (i > 0 || old_) old_ = old_head(client_, key_, name_, options_);
      require_same();
      const std::string new_head =
          old_ ? head_bytes(merged(old_->header, header_.contents), name_) : "";
      const Replaced replaced = takes_over ? what_is_there() : this->replaced();
      if (takes_over && require_first) require_first();
      const std::array<std::string_view, 11> words{
          "EVAL",    kExchangeString, "2",           key_,     beside_->key(), byte_count,
          bit_count, replaced.mode,   replaced.head, new_head, expires};
      const std::string said = beside_->run_script(words);
      if (said == "done") return beside_->is_done();
      const bool has_changed = said == "taken" || said == "gone" || said == "unlike";
      const bool may_go_on = said == "moved" ||
                             (said == "taken" && options_.replace && !header_.part) ||
                             (takes_over && has_changed);
      if (!may_go_on) refuse(said);
    }
    throw StoreError(name_ + ": its head changes all the time, and the old filter is as it was");
  }

 private:
  // What becomes of what is there, as the script names it.
  struct Replaced {
    std::string_view mode{};
    std::string head{};
  };
  Replaced replaced() const {
    if (cleared_) return {"this", *cleared_};
    if (old_) return {"keep", old_->bytes};
    if (!options_.discard) return {"new"};
    return {options_.spares_strangers ? "ours" : "drop"};
  }
  // Who discards takes the place of what is there now, and of nothing else.
  Replaced what_is_there() {
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

  void require_string() {
    const Answer answer = client_.run(Request().add({"TYPE", key_}).about(key_), Repeat::safe);
    const Reply& type = require_done(answer.replies.at(0), client_.location());
    if (!type.is_status("string") && !type.is_status("none")) refuse("type");
  }
  void require_same() {
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
  // Whether it takes the place of a part of a filter that is there: then all parts are.
  bool is_kept() const { return header_.part && options_.replace && !options_.discard; }

  [[noreturn]] void refuse(const std::string& said) const {
    if (said == "taken" && header_.part) {
      throw StoreError(name_ +
                       ": something is there, and no index: a load that did not end, or a "
                       "filter that lost it; bloomery destroy with ?partitions=" +
                       std::to_string(header_.part->count) + " removes it");
    }
    if (said == "lost" && header_.part && options_.discard) {
      throw StoreError(name_ +
                       ": the key beside it was lost before the exchange, when the index of the "
                       "old filter was gone already; load it again");
    }
    refuse_exchange(said, name_);
  }

  Client& client_;
  const std::string key_;
  const std::string name_;
  FileHeader header_;
  const BulkOptions& options_;
  const std::optional<std::string> cleared_;
  std::optional<NativeBitmapHead> old_;
  const bool keeps_old_;
  std::optional<NativeBitmapHead> discarded_{};
  std::optional<KeyBeside> beside_{};
};

// In the place of what was `seen` there, or of nothing. False where that is not what is there.
bool put_index(Client& client, const std::string& key, const FileHeader& header,
               const std::string& name, std::string_view expires = {}, std::string_view seen = {}) {
  const std::string bytes = head_bytes(header, name);
  const Answer answer = client.run(
      Request().add({"EVAL", kPutIndex, "1", key, bytes, expires, seen}).about(key), Repeat::never);
  return require_done(answer.replies.at(0), client.location()).text == "done";
}

[[noreturn]] void refuse_taken(const std::string& name) {
  throw StoreError(name + ": somebody else has put a filter there meanwhile");
}

// Throws where a part is of another filter.
void require_part(Client& client, const std::string& key, const FileHeader& of, std::uint32_t index,
                  const std::string& name) {
  const std::string of_part = name + " (partition " + std::to_string(index) + ")";
  const auto there = read_native_head(client, partition_key(key, index, of.part->count), of_part);
  if (there.header.notes.identity == of.notes.identity) return;
  throw StoreError(of_part +
                   ": is of another filter than the index; somebody else may have loaded one "
                   "at the same time: load it again");
}

void require_parts(Client& client, const std::string& key, const FileHeader& of,
                   const std::string& name) {
  for (std::uint32_t i = 0; i < of.part->count; ++i) require_part(client, key, of, i, name);
}

// Throws where all parts are there, and what says so is not.
void require_index(Client& client, const std::string& key, const FileHeader& of,
                   const std::string& name) {
  try {
    if (read_native_head(client, key, name).header.notes.identity == of.notes.identity) return;
  } catch (const ConnectionError&) {
    throw;
  } catch (const StoreError&) {
    // Nothing, or no filter.
  }
  throw StoreError(name +
                   ": its index was lost or replaced while its partitions were loaded; --discard "
                   "makes all of it anew");
}

// What is at the key, where it is a part of that filter: its head moves while others write to it.
void remove_old_part(Client& client, const std::string& key, const FileHeader& of,
                     std::uint32_t index) {
  for (int i = 0; i < kMostExchanges; ++i) {
    std::optional<NativeBitmapHead> there;
    try {
      there = read_native_head(client, key, key);
    } catch (const ConnectionError&) {
      throw;
    } catch (const StoreError&) {
      return;  // nothing, or what is no filter
    } catch (const FormatError&) {
      return;
    }
    const bool is_its_part = there->header.part && there->header.part->index == index &&
                             there->header.part->count == of.part->count &&
                             there->header.notes.identity == of.notes.identity;
    if (!is_its_part || drop_string(client, key, there->bytes).said == "done") return;
  }
}

// Of its partitions, those that are not the new filter's.
void remove_old_parts(Client& client, const std::string& key, const FileHeader& old,
                      std::uint32_t new_count) {
  const std::uint32_t old_count = old.part ? old.part->count : 0;
  if (old_count == new_count) return;
  for (std::uint32_t i = 0; i < old_count; ++i) {
    const std::string part = partition_key(key, i, old_count);
    if (i >= new_count || part != partition_key(key, i, new_count)) {
      remove_old_part(client, part, old, i);
    }
  }
}

// The same of the filter whose index that was, if it was one.
void remove_parts_of(Client& client, const std::string& key, std::string_view index,
                     std::uint32_t new_count) {
  FileHeader old;
  try {
    old = read_native_head(index, index.size()).header;
  } catch (const FormatError&) {
    return;
  }
  remove_old_parts(client, key, old, new_count);
}

// Who sees that all parts are his puts his index in the place of the one that he saw before that.
void put_index_over_others(Client& client, const std::string& key, const FileHeader& header,
                           const std::string& name, std::string_view expires) {
  for (int i = 0; i < kMostExchanges; ++i) {
    const auto there = Request().add({"GETRANGE", key, "0", "65535"}).about(key);
    const std::string seen =
        require_done(client.run(there, Repeat::safe).replies.at(0), client.location()).text;
    if (!seen.empty() && !seen.starts_with(head_bytes(header, name).substr(0, kMagicBytes))) break;
    require_parts(client, key, header, name);
    if (put_index(client, key, header, name, expires, seen)) {
      return remove_parts_of(client, key, seen, header.part->count);
    }
  }
  refuse_taken(name);
}

// The filter answers from the moment on that its index is there, the last of all. With `replace`
// one part after the other gets what is new, and is at no moment less than it was. With `discard`
// all parts are there, beside, before the index goes and they come; a part that was not there lives
// as long as the index would have.
void load_parts(Client& client, const FilterContents& contents, std::uint32_t count,
                const std::optional<NativeBitmapHead>& old, const std::string& name,
                BulkOptions options) {
  const std::string& key = client.location().key;
  FileHeader header = new_header(contents, options.watermark);
  header.part = {count, count, contents.parameters.geometry.bit_count};
  const bool is_kept = old && options.replace && !options.discard;
  if (is_kept) {
    header.notes = old->header.notes;
    header.layout = layout_of(header);
    if (!old->has_bits_of({.header = header})) refuse_exchange("other", name);
  } else if (!options.discard) {
    options.replace = false;
  }
  header.layout = layout_of(header);
  std::optional<std::string> cleared;
  if (options.clears) {
    require_same_filter(*old, header, name);
    require_parts(client, key, old->header, name);
    cleared = naming_bytes(*old);
  }
  const auto load_of = [&](std::uint32_t i) {
    FileHeader of_part = header;
    of_part.part->index = i;
    return std::make_unique<StringLoad>(client, partition_key(key, i, count),
                                        name + " (partition " + std::to_string(i) + ")",
                                        std::move(of_part), options, cleared);
  };
  std::uint64_t done = 0;
  const std::uint64_t all = contents.parameters.geometry.bit_count / 8;
  const auto send = [&](StringLoad& load) {
    std::uint64_t size = 0;
    load.send([&](std::uint64_t sent, std::uint64_t of) {
      size = of;
      if (options.progress) options.progress(std::min(done + sent, all), all);
    });
    done += size;
  };
  if (options.discard) {
    std::vector<std::unique_ptr<StringLoad>> loads;
    for (std::uint32_t i = 0; i < count; ++i) send(*loads.emplace_back(load_of(i)));
    // An index has the beginning of every filter of ours.
    const std::string begin = options.clears ? old->bytes
                              : options.spares_strangers
                                  ? head_bytes(header, name).substr(0, kMagicBytes)
                                  : "";
    const Dropped index = drop_string(client, key, begin, options.clears);
    if (index.said == "stranger" && options.clears) refuse_exchange("unlike", name);
    if (index.said != "done") refuse_exchange(index.said, name);
    remove_parts_of(client, key, index.begin, count);
    // Of several who do this at once, who took the first part last gets all: he takes what others
    // still put, and they stop when they see that it is not theirs.
    loads.front()->exchange(index.expires);
    for (const auto& each : std::span(loads).subspan(1)) {
      each->exchange(index.expires, [&] { require_part(client, key, header, 0, name); });
    }
    if (!options.clears) {
      return put_index_over_others(client, key, header, name, index.expires);
    }
    require_parts(client, key, header, name);
    if (!put_index(client, key, header, name, index.expires)) refuse_taken(name);
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto load = load_of(i);
    send(*load);
    load->exchange();
  }
  if (is_kept) return require_index(client, key, header, name);
  if (!put_index(client, key, header, name)) refuse_taken(name);
}

}  // namespace

void require_fits(const FilterContents& contents, Location location) {
  const std::string name = "bitmap:" + location.text();
  const auto wanted = take_native_settings(location);
  require_lives_in_string(contents, partitions_for(contents.parameters, wanted, name), name);
}

void load_native(Client& client, const FilterContents& contents, const BulkOptions& options) {
  Location location = client.location();
  const std::string name = "bitmap:" + location.text();
  const auto wanted = take_native_settings(location);
  std::optional<NativeBitmapHead> old;
  if (options.clears || (options.replace && native_exists(client, location.key))) {
    try {
      old = read_native_head(client, location.key, name);
    } catch (const StoreError&) {
      if (!options.discard || options.clears) throw;
    }
  }
  std::uint32_t count = partitions_for(contents.parameters, wanted, name);
  // What nothing is said about, stays.
  if (old && !wanted && (!options.discard || options.clears)) {
    count = old->header.part ? old->header.part->count : 1;
  }
  require_lives_in_string(contents, count, name);
  if (count > 1) return load_parts(client, contents, count, old, name, options);
  FileHeader header = new_header(contents, options.watermark);
  std::optional<std::string> cleared;
  if (options.clears) {
    require_same_filter(*old, header, name);
    cleared = naming_bytes(*old);
  }
  StringLoad load(client, location.key, name, std::move(header), options, std::move(cleared));
  load.send(options.progress);
  load.exchange();
  if (const auto& discarded = load.discarded()) {
    remove_old_parts(client, location.key, discarded->header, 1);
  }
}

}  // namespace bloomery::redis
