#include "bloomery/redis/bulk_load.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/watermark.h"
#include "bloomery/format/redisson.h"
#include "bloomery/redis/errors.h"
#include "bloomery/redis/hash_slot.h"
#include "bloomery/redis/live_bitmap.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kPieceBytes = 1024 * 1024;
constexpr std::string_view kMostIdle = "3600000";  // milliseconds

// KEYS: the filter, the key beside it, its configuration, if there is one. ARGV: bytes and bits of
// the key beside it, what becomes of a filter that is there, names and values of the configuration.
constexpr std::string_view kExchange = R"(
local live, next, config = KEYS[1], KEYS[2], KEYS[3]
if redis.call('STRLEN', next) ~= tonumber(ARGV[1]) then return 'lost' end
if redis.call('BITCOUNT', next) ~= tonumber(ARGV[2]) then return 'lost' end
local function is_other(key, type)
  local found = redis.call('TYPE', key).ok
  return found ~= type and found ~= 'none'
end
if is_other(live, 'string') or (config and is_other(config, 'hash')) then return 'type' end
local there = redis.call('EXISTS', live) == 1
local configured = config and redis.call('EXISTS', config) == 1
if (there or configured) and ARGV[3] == 'new' then return 'taken' end
if (there or configured) and ARGV[3] == 'keep' then
  if config then
    local now = redis.call('HMGET', config, ARGV[4], ARGV[6])
    if now[1] ~= ARGV[5] or now[2] ~= ARGV[7] then return 'other' end
  end
  if redis.call('STRLEN', live) > tonumber(ARGV[1]) then return 'other' end
  if there then redis.call('BITOP', 'OR', next, next, live) end
end
local function expiry(key)
  local left = redis.call('PTTL', key)
  if left < 0 then return nil end
  local now = redis.call('TIME')
  return string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000) + left)
end
local at = expiry(live)
if at then redis.call('PEXPIREAT', next, at) else redis.call('PERSIST', next) end
redis.call('RENAME', next, live)
if config then
  at = expiry(config)
  redis.call('DEL', config)
  for i = 4, #ARGV, 2 do redis.call('HSET', config, ARGV[i], ARGV[i + 1]) end
  if at then redis.call('PEXPIREAT', config, at) end
end
return 'done'
)";

// Each byte that the filter has there, also those after the last bit that is set.
std::vector<std::byte> bytes_of(const Format& format, const FilterContents& contents) {
  std::vector<std::byte> bytes = encode(format, contents);
  const std::uint64_t whole = (contents.parameters.geometry.bit_count + 7) / 8;
  if (bytes.size() > whole) {
    throw std::invalid_argument(std::string(format.name) + ": its bits are more than one bitmap");
  }
  bytes.resize(whole);
  return bytes;
}

std::uint64_t count_bits(std::span<const std::byte> bytes) {
  std::uint64_t count = 0;
  for (const std::byte each : bytes) {
    count += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned char>(each)));
  }
  return count;
}

// In a cluster it must be where the filter is.
std::string key_beside(const std::string& key) {
  std::uint64_t suffix = Identity::random().high;
  for (;;) {
    char text[32];
    std::snprintf(text, sizeof text, ":next:%016llx", static_cast<unsigned long long>(suffix++));
    const std::string next = key + text;
    if (hash_slot(next) == hash_slot(key)) return next;
  }
}

// One load, from its first piece to the exchange.
class BulkLoad {
 public:
  BulkLoad(Client& client, const LiveBitmap& names, std::vector<std::byte> bytes)
      : client_(client), names_(names), bytes_(std::move(bytes)), next_(key_beside(names.key)) {}

  void send(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    // The last piece gives the key its length: whatever is lost after that, shows.
    const std::size_t last = (bytes_.size() - 1) / kPieceBytes * kPieceBytes;
    send_piece(last);
    for (std::size_t start = 0; start < last; start += kPieceBytes) {
      if (progress) progress(start, bytes_.size());
      const auto piece = piece_at(start);
      if (count_bits(piece) > 0) send_piece(start);
    }
    if (progress) progress(bytes_.size(), bytes_.size());
  }

  // What the script says.
  std::string exchange(std::string_view old) {
    const std::string byte_count = std::to_string(bytes_.size());
    const std::string bit_count = std::to_string(count_bits(bytes_));
    const bool has_config = !names_.config_key.empty();
    std::vector<std::string_view> words{"EVAL", kExchange, has_config ? "3" : "2", names_.key,
                                        next_};
    if (has_config) words.push_back(names_.config_key);
    words.insert(words.end(), {byte_count, bit_count, old});
    for (const ConfigField& field : names_.config) {
      words.insert(words.end(), {field.name, field.value});
    }
    Request request;
    request.add(words).about(names_.key);
    return ask(request, Repeat::never).text;
  }

  void give_up() noexcept {
    try {
      client_.run(Request().add({"DEL", next_}).about(next_), Repeat::safe);
    } catch (const std::exception&) {
      // It has an hour to live.
    }
  }

 private:
  std::span<const std::byte> piece_at(std::size_t start) const {
    return std::span(bytes_).subspan(start, std::min(kPieceBytes, bytes_.size() - start));
  }

  void send_piece(std::size_t start) {
    const std::span<const std::byte> piece = piece_at(start);
    const std::string offset = std::to_string(start);
    Request request;
    request.add({"SETRANGE", next_, offset,
                 std::string_view(reinterpret_cast<const char*>(piece.data()), piece.size())});
    request.add({"PEXPIRE", next_, kMostIdle}).about(next_);
    const Reply length = ask(request, Repeat::safe);
    if (!length.is(Reply::Type::number) ||
        static_cast<std::uint64_t>(length.number) != bytes_.size()) {
      throw StoreError(names_.name + ": " + next_ +
                       ", which was being filled, was lost: the server evicts keys, was emptied, "
                       "or another took its place");
    }
  }

  Reply ask(const Request& request, Repeat repeat) {
    const Answer answer = client_.run(request, repeat);
    return require_done(answer.replies.at(0), client_.location());
  }

  Client& client_;
  const LiveBitmap& names_;
  const std::vector<std::byte> bytes_;
  const std::string next_;
};

// The names of a filter of that format, and what its configuration is to say.
LiveBitmap names_of(const Location& location, const Format& format,
                    const FilterContents& contents) {
  require_holds(format, contents);
  LiveBitmap names = live_names(location, format);
  if (names.config_key.empty()) return names;
  const FormatSettings settings = format.settings_of(contents);
  if (settings.contains("legacy")) {
    throw std::invalid_argument(names.name +
                                ": a filter that answers as Redisson up to 3.22.1 (legacy) is not "
                                "made in servers");
  }
  for (const std::string_view name :
       {"size", "hashIterations", "expectedInsertions", "falseProbability"}) {
    names.config.push_back({name, settings.find(name)->second});
  }
  return names;
}

[[noreturn]] void refuse(const LiveBitmap& names, const std::string& said) {
  const auto fail = [&](const char* why) -> void { throw StoreError(names.name + ": " + why); };
  if (said == "taken") fail("already exists; --replace puts a new one in its place");
  if (said == "type")
    fail("a key of that name holds something else (WRONGTYPE), and is left alone");
  if (said == "other") {
    fail(
        "the filter there is of another size: what others add to it until the exchange would be "
        "\"absent\" in a new one; --discard accepts that");
  }
  fail("the key beside it was lost before the exchange; the old filter is as it was");
  throw StoreError(names.name);
}

// What a command says of all keys that a filter has there.
std::int64_t with_names(Client& client, const Format& format, std::string_view command) {
  const LiveBitmap names = live_names(client.location(), format);
  std::vector<std::string_view> words{command, names.key};
  if (!names.config_key.empty()) words.push_back(names.config_key);
  const Answer answer = client.run(Request().add(words), Repeat::safe);
  return require_done(answer.replies.at(0), client.location()).number;
}

}  // namespace

bool is_taken(Client& client, const Format& format) {
  return with_names(client, format, "EXISTS") != 0;
}

void destroy(Client& client, const Format& format) {
  with_names(client, format, "DEL");
}

void bulk_load(Client& client, const Format& format, const FilterContents& contents,
               const BulkOptions& options) {
  const LiveBitmap names = names_of(client.location(), format, contents);
  BulkLoad load(client, names, bytes_of(format, contents));
  try {
    load.send(options.progress);
    const std::string said = load.exchange(!options.replace  ? "new"
                                           : options.discard ? "drop"
                                                             : "keep");
    if (said != "done") refuse(names, said);
  } catch (...) {
    load.give_up();
    throw;
  }
}

}  // namespace bloomery::redis
