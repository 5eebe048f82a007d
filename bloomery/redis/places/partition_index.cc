// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/partition_index.h"

#include <optional>

#include "bloomery/errors.h"
#include "bloomery/redis/client/script.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/key_beside.h"
#include "bloomery/redis/places/key_type.h"
#include "bloomery/redis/places/partition_keys.h"

namespace bloomery::redis {
namespace {

constexpr int kMostExchanges = 10;

// KEYS: what is to go. ARGV: the bytes that it begins with where it may, and whether it must be
// there. Answers also when it would have expired, and how it began.
constexpr auto kDropString = joined(kExpiryOf, R"(
local found = redis.call('TYPE', KEYS[1]).ok
if found == 'none' then return {ARGV[2] == '1' and 'gone' or 'done', '', ''} end
if found ~= 'string' then return {'type', '', ''} end
local begin = redis.call('GETRANGE', KEYS[1], 0, 65535)
if string.sub(begin, 1, #ARGV[1]) ~= ARGV[1] then return {'stranger', '', ''} end
local at = expiry_of(KEYS[1]) or ''
redis.call('DEL', KEYS[1])
return {'done', at, begin}
)");

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

// In the place of what was `seen` there, or of nothing. False where that is not what is there.
bool exchange_index(Client& client, const std::string& key, const FileHeader& header,
                    const std::string& name, std::string_view expires, std::string_view seen) {
  const std::string bytes = head_bytes(header, name);
  const Answer answer = client.run(
      Request().add({"EVAL", kPutIndex, "1", key, bytes, expires, seen}).about(key), Repeat::never);
  return require_done(answer.replies.at(0), client.location()).text == "done";
}

[[noreturn]] void refuse_taken(const std::string& name) {
  throw StoreError(name + ": somebody else has put a filter there meanwhile");
}

// Removes the string at the key if it is a partition of the filter `of`. Tries again if its head
// moves, while others write to it.
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

}  // namespace

Dropped drop_string(Client& client, const std::string& key, std::string_view begin,
                    bool must_be_there) {
  const std::string_view must = must_be_there ? "1" : "0";
  const Answer answer = client.run(
      Request().add({"EVAL", kDropString, "1", key, begin, must}).about(key), Repeat::never);
  const Reply& reply = require_done(answer.replies.at(0), client.location());
  if (reply.elements.size() != 3) fail_answer(key, "what became of it");
  return {.said = reply.elements[0].text,
          .expires = reply.elements[1].text,
          .begin = reply.elements[2].text};
}

void require_no_index(Client& client, const std::string& key, const std::string& name) {
  const std::string type = key_type(client, key);
  if (type != "none") refuse_exchange(type == "string" ? "taken" : "type", name);
}

void put_index(Client& client, const std::string& key, const FileHeader& header,
               const std::string& name, std::string_view expires) {
  if (!exchange_index(client, key, header, name, expires, {})) refuse_taken(name);
}

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

void put_index_over_others(Client& client, const std::string& key, const FileHeader& header,
                           const std::string& name, std::string_view expires) {
  for (int i = 0; i < kMostExchanges; ++i) {
    const auto there = Request().add({"GETRANGE", key, "0", "65535"}).about(key);
    const std::string seen =
        require_done(client.run(there, Repeat::safe).replies.at(0), client.location()).text;
    if (!seen.empty() && !seen.starts_with(native_magic())) break;
    require_parts(client, key, header, name);
    if (exchange_index(client, key, header, name, expires, seen)) {
      return remove_parts_of(client, key, seen, header.part->count);
    }
  }
  refuse_taken(name);
}

}  // namespace bloomery::redis
