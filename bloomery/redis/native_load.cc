#include "bloomery/redis/native_load.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/watermark.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/redis/key_beside.h"
#include "bloomery/redis/native_bitmap.h"
#include "bloomery/redis/native_place.h"

namespace bloomery::redis {
namespace {

constexpr int kMostExchanges = 10;

// KEYS: the filter, the key beside it. ARGV: bytes and bits of the latter, what becomes of a filter
// that is there, its head, the head that the new one then gets.
constexpr std::string_view kExchangeString = R"(
local live, next = KEYS[1], KEYS[2]
if redis.call('STRLEN', next) ~= tonumber(ARGV[1]) then return 'lost' end
if redis.call('BITCOUNT', next) ~= tonumber(ARGV[2]) then return 'lost' end
local found = redis.call('TYPE', live).ok
if found ~= 'string' and found ~= 'none' then return 'type' end
if found == 'string' and ARGV[3] == 'new' then return 'taken' end
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
else
  redis.call('PERSIST', next)
end
redis.call('RENAME', next, live)
return 'done'
)";

FileHeader new_header(const FilterContents& contents, const FileLayout& layout) {
  FileHeader header;
  header.contents = contents;
  header.notes.identity = Identity::random();
  header.is_live = true;
  header.layout = layout;
  return header;
}

// All of the string.
std::vector<std::byte> bytes_of_native(const FilterContents& contents, const FileNotes& notes,
                                       FileHeader& header) {
  const NativeHead sealed(contents, notes);
  header.layout = sealed.layout;
  std::vector<std::byte> bytes;
  bytes.reserve(sealed.layout.file_bytes);
  write_native(sealed, contents,
               [&](auto piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  const auto head = encode_head(header);
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

// What is there when nothing may be lost of it; nothing where nothing is.
std::optional<NativeBitmapHead> old_head(Client& client, const BulkOptions& options,
                                         const std::string& name) {
  if (!options.replace || options.discard || !native_exists(client)) return std::nullopt;
  return read_native_head(client, name);
}

}  // namespace

void load_native(Client& client, const FilterContents& contents, const BulkOptions& options) {
  const Location& location = client.location();
  const std::string name = "bitmap:" + location.text();
  require_lives_in_string(contents, name);
  auto old = old_head(client, options, name);
  FileHeader header = new_header(contents, {});
  if (old) header.notes = merged(old->header, contents).notes;
  KeyBeside beside(client, name, location.key, bytes_of_native(contents, header.notes, header));
  // Before the pieces travel.
  const auto require_same = [&](const NativeBitmapHead& there) {
    if (!there.has_bits_of({.header = header})) beside.refuse("other");
  };
  if (old) require_same(*old);
  beside.send(options.progress);
  const std::string byte_count = std::to_string(beside.byte_count());
  const std::string bit_count = std::to_string(beside.bit_count());
  for (int i = 0; i < kMostExchanges; ++i) {
    // Its watermark may have moved meanwhile.
    if (i > 0 || old) old = old_head(client, options, name);
    if (old) require_same(*old);
    const std::string new_head = old ? head_bytes(merged(old->header, contents), name) : "";
    const std::string mode = old ? "keep" : options.discard ? "drop" : "new";
    const std::string old_bytes = old ? old->bytes : "";
    const std::array<std::string_view, 10> words{
        "EVAL",     kExchangeString, "2",  location.key, beside.key(),
        byte_count, bit_count,       mode, old_bytes,    new_head};
    const std::string said = beside.run_script(words);
    if (said == "done") return beside.is_done();
    const bool may_go_on = said == "moved" || (said == "taken" && options.replace);
    if (!may_go_on) beside.refuse(said);
  }
  throw StoreError(name + ": its head changes all the time, and the old filter is as it was");
}

}  // namespace bloomery::redis
