// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/bulk_load.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/format/pyrebloom.h"
#include "bloomery/redis/client/script.h"
#include "bloomery/redis/places/key_beside.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/redis/places/trailer.h"

namespace bloomery::redis {
namespace {

constexpr std::uint64_t kMostBits = std::uint64_t{1} << 32;  // of a string

// KEYS: the filter, the key beside it, its configuration and its counters, if it may have them.
// ARGV: bytes and bits of the key beside it, what becomes of a filter that is there, names and
// values of the configuration, and before them the place of the last that must stay, and the
// trailer or nothing.
constexpr auto kExchange = joined(kExpiryOf, R"(
local live, next, config, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
if redis.call('STRLEN', next) ~= tonumber(ARGV[1]) then return 'lost' end
if redis.call('BITCOUNT', next) ~= tonumber(ARGV[2]) then return 'lost' end
local function is_other(key, type)
  local found = redis.call('TYPE', key).ok
  return found ~= type and found ~= 'none'
end
if is_other(live, 'string') or (config and is_other(config, 'hash')) then return 'type' end
if counts and redis.call('EXISTS', counts) == 1 then return 'counts' end
local there = redis.call('EXISTS', live) == 1
local configured = config and redis.call('EXISTS', config) == 1
if (there or configured) and ARGV[3] == 'new' then return 'taken' end
local trusts = ARGV[3] == 'trust' or ARGV[3] == 'clear any'
local clears = ARGV[3] == 'clear' or ARGV[3] == 'clear any'
if clears and not (there or configured) then return 'gone' end
if (there or configured) and (ARGV[3] == 'keep' or trusts or clears) then
  local other = clears and 'unlike' or 'other'
  if config then
    for i = 6, tonumber(ARGV[4]), 2 do
      if redis.call('HMGET', config, ARGV[i])[1] ~= ARGV[i + 1] then return other end
    end
  end
  -- Without a configuration only the length says which size it was written with. One that SETBIT
  -- made may be shorter: who trusts the bits says that the settings are those of its writers.
  local length = redis.call('STRLEN', live)
  if length > tonumber(ARGV[1]) then return other end
  if there and not config and not trusts and length < tonumber(ARGV[1]) then
    return clears and 'unsure' or 'short'
  end
  if there and #ARGV[5] > 0 then
    -- What a trailer says of size and form of keys, behind the eight bytes that all begin with.
    local said = string.sub(redis.call('GETRANGE', live, ARGV[1] - #ARGV[5], -1), 1, 24)
    local is_like = said == string.sub(ARGV[5], 1, 24)
    if clears and not trusts and not is_like then return 'unlike' end
    local is_trailer = string.sub(said, 1, 8) == string.sub(ARGV[5], 1, 8)
    if not clears and is_trailer and not is_like then return 'other' end
  end
  if there and not clears then
    redis.call('BITOP', 'OR', next, next, live)
    -- Whose that was says nothing of both.
    if ARGV[5] ~= '' then redis.call('SETRANGE', next, ARGV[1] - #ARGV[5], ARGV[5]) end
  end
end
if there and not config and ARGV[3] == 'spare' then
  local length, whole = redis.call('STRLEN', live), ARGV[1] - #ARGV[5]
  -- Perhaps with something behind it, or behind fewer bits.
  local function has_trailer_at(from)
    return #ARGV[5] > 0 and length >= from + #ARGV[5] and from >= 0 and
      redis.call('GETRANGE', live, from, from + 7) == string.sub(ARGV[5], 1, 8)
  end
  -- Somebody may have written into its beginning: then it still says how many bits are before it.
  local function has_count_at(from)
    return #ARGV[5] > 0 and
      redis.call('GETRANGE', live, from + 8, from + 15) == string.sub(ARGV[5], 9, 16)
  end
  if length ~= whole and not has_trailer_at(whole) and not has_trailer_at(length - #ARGV[5])
     and not (length == whole + #ARGV[5] and has_count_at(whole)) then
    return 'strange'
  end
end
-- A script that dies is not undone: what may be refused is tried where it changes nothing.
redis.call('RENAME', next, next)
if config and not clears then
  redis.call('HKEYS', config)
  redis.call('HDEL', config, 'of nobody')
end
local at = expiry_of(live)
if at then redis.call('PEXPIREAT', next, at) else redis.call('PERSIST', next) end
if config and not clears then
  -- Never without the key: while its slot moves to another node, no script makes one that is gone.
  local named = {}
  for i = 6, #ARGV, 2 do
    redis.call('HSET', config, ARGV[i], ARGV[i + 1])
    named[ARGV[i]] = true
  end
  for _, field in ipairs(redis.call('HKEYS', config)) do
    if not named[field] then redis.call('HDEL', config, field) end
  end
end
redis.call('RENAME', next, live)
return 'done'
)");

// Each byte that the filter has there, also those after the last bit that is set; and the trailer.
std::vector<std::byte> bytes_of(const Format& format, const FilterContents& contents,
                                std::string_view trailer) {
  std::vector<std::byte> bytes = encode(format, contents);
  const std::uint64_t whole = (contents.parameters.geometry.bit_count + 7) / 8;
  if (bytes.size() > whole) {
    throw std::invalid_argument(std::string(format.name) + ": its bits are more than one bitmap");
  }
  bytes.resize(whole);
  const auto behind = std::as_bytes(std::span(trailer));
  bytes.insert(bytes.end(), behind.begin(), behind.end());
  return bytes;
}

// The script's word for what becomes of a filter that is there.
std::string_view word_for(OldFilter old, bool trusts_bits) {
  switch (old) {
    case OldFilter::refuse:
      return "new";
    case OldFilter::keep:
      return trusts_bits ? "trust" : "keep";
    case OldFilter::drop:
      return "drop";
    case OldFilter::drop_if_filter:
      return trusts_bits ? "drop" : "spare";
    case OldFilter::clear:
      return trusts_bits ? "clear any" : "clear";
  }
  return "new";
}

// Returns the trailer of a filter that nobody has had before.
std::string new_trailer(const FilterParameters& parameters, const BulkOptions& options) {
  Trailer trailer{.keys = parameters.keys};
  trailer.notes.identity = Identity::random();
  if (options.watermark) trailer.notes.step(options.watermark);
  return trailer_bytes(trailer, parameters);
}

// The keys that it has besides its bits.
void append_others(const LiveBitmap& names, std::vector<std::string_view>& keys) {
  if (!names.config_key.empty()) keys.push_back(names.config_key);
  if (!names.counts_key.empty()) keys.push_back(names.counts_key);
}

// Runs the script that puts the key beside a filter in its place, and returns the script's word:
// "done", or why not.
std::string exchange(KeyBeside& beside, const LiveBitmap& names, std::string_view old,
                     std::string_view trailer) {
  const std::string last_fixed = std::to_string(2 * config_fields(*names.format).fixed + 4);
  const std::string byte_count = std::to_string(beside.byte_count());
  const std::string bit_count = std::to_string(beside.bit_count());
  std::vector<std::string_view> keys{names.key, beside.key()};
  append_others(names, keys);
  const std::string key_count = std::to_string(keys.size());
  std::vector<std::string_view> words{"EVAL", kExchange, key_count};
  words.insert(words.end(), keys.begin(), keys.end());
  words.insert(words.end(), {byte_count, bit_count, old, last_fixed, trailer});
  for (const ConfigField& field : names.config) {
    words.insert(words.end(), {field.name, field.value});
  }
  return beside.run_script(words);
}

// The names of a filter of that format, and what its configuration is to say.
LiveBitmap names_of(const Location& location, const Format& format,
                    const FilterContents& contents) {
  require_holds(format, contents);
  LiveBitmap names = live_names(location, format);
  // pyreBloom begins another string one bit earlier than a string ends.
  const std::uint64_t most = &format == &pyrebloom::kFormat ? pyrebloom::kPartBits : kMostBits;
  if (const std::uint64_t bits = contents.parameters.geometry.bit_count; bits > most) {
    throw std::invalid_argument(names.name + ": " + std::to_string(bits) +
                                " bits, of more than one string (" + std::to_string(most) +
                                "), which cannot be asked where they live; a file holds them: " +
                                std::string(format.name) + ":FILE");
  }
  if (names.config_key.empty()) return names;
  const FormatSettings settings = format.settings_of(contents);
  if (settings.contains("legacy")) {
    throw std::invalid_argument(names.name +
                                ": a filter that answers as Redisson up to 3.22.1 (legacy) is not "
                                "made in servers");
  }
  for (const std::string_view name : config_fields(format).names) {
    names.config.push_back({name, settings.find(name)->second});
  }
  return names;
}

// Runs a command, EXISTS or DEL, on all keys that a filter has there, and returns the number in its
// reply.
std::int64_t with_names(Client& client, const Format& format, std::string_view command) {
  const LiveBitmap names = live_names(client.location(), format);
  std::vector<std::string_view> words{command, names.key};
  append_others(names, words);
  const Answer answer = client.run(Request().add(words), Repeat::safe);
  return require_done(answer.replies.at(0), client.location()).number;
}

}  // namespace

bool is_taken(Client& client, const Format& format) {
  return with_names(client, format, "EXISTS") != 0;
}

bool destroy(Client& client, const Format& format) {
  return with_names(client, format, "DEL") != 0;
}

void bulk_load(Client& client, const Format& format, const FilterContents& contents,
               const BulkOptions& options) {
  const LiveBitmap names = names_of(client.location(), format, contents);
  std::string trailer;
  if (says_trailer(client.location())) {
    require_trailer(format, contents.parameters, names.name);
    trailer = new_trailer(contents.parameters, options);
  }
  KeyBeside beside(client, names.name, names.key, bytes_of(format, contents, trailer));
  beside.send(options.progress);
  const std::string_view old = word_for(options.old, says_trust(client.location()));
  const std::string said = exchange(beside, names, old, trailer);
  if (said != "done") beside.refuse(said);
  beside.is_done();
}

}  // namespace bloomery::redis
