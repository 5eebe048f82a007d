// SPDX-License-Identifier: Apache-2.0
#include "module/cf_commands.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/format/redisbloom/redisbloom_cuckoo_dump.h"
#include "bloomery/format/redisbloom/redisbloom_hash_seed.h"
#include "module/add_cuckoo_items.h"
#include "module/call.h"
#include "module/cf_arguments.h"
#include "module/cf_options.h"
#include "module/command.h"
#include "module/half_load.h"
#include "module/slot.h"
#include "module/stored_cuckoo.h"

namespace bloomery::module {
namespace {

using redisbloom::CuckooFilter;
using redisbloom::CuckooOptions;
using redisbloom::CuckooShape;

// CF.RESERVE key capacity [BUCKETSIZE n] [MAXITERATIONS n] [EXPANSION n]
void cf_reserve(Call& call) {
  const CuckooOptions options = parse_cuckoo_reserve(call.words(), call.limits());
  Slot slot(call, kRead | kWrite);
  if (slot.get_or_none<StoredCuckoo>() != nullptr) throw Refusal("ERR item exists");
  slot.follow([&] {
    slot.store(make_cuckoo(options));
    call.replicate_reserve(options);
    call.changed("cf.reserve");
  });
  call.reply_ok();
}

// CF.ADD key item
void cf_add(Call& call) {
  add_cuckoo_item(call, false);
}

// CF.ADDNX key item
void cf_addnx(Call& call) {
  add_cuckoo_item(call, true);
}

// CF.INSERT key [CAPACITY n] [NOCREATE] ITEMS item [item ...]
void cf_insert(Call& call) {
  add_cuckoo_items(call, false);
}

// CF.INSERTNX key [CAPACITY n] [NOCREATE] ITEMS item [item ...]
void cf_insertnx(Call& call) {
  add_cuckoo_items(call, true);
}

// The filter that a question asks. A missing key and a key of another type count as an empty
// filter: null.
const StoredCuckoo* cuckoo_or_none(const OpenKey& key) {
  key.require_not_lost();
  return key.get<StoredCuckoo>();
}

// CF.EXISTS key item
void cf_exists(Call& call) {
  const OpenKey key = call.open(kRead);
  const StoredCuckoo* const stored = cuckoo_or_none(key);
  const bool found = stored != nullptr && stored->filter().may_contain(call.word(2));
  if (stored != nullptr && !found) require_complete(*stored);
  call.reply_bool(found);
}

// CF.MEXISTS key item [item ...]
void cf_mexists(Call& call) {
  const std::vector<Key> items = call.words(2);
  const auto found = std::make_unique<bool[]>(items.size());
  {
    const OpenKey key = call.open(kRead);
    const StoredCuckoo* const stored = cuckoo_or_none(key);
    if (stored != nullptr) stored->filter().may_contain_many(items, found.get());
    bool* const end = found.get() + items.size();
    if (stored != nullptr && std::find(found.get(), end, false) != end) require_complete(*stored);
  }
  call.reply_array(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) call.reply_bool(found[i]);
}

// CF.COUNT key item
void cf_count(Call& call) {
  const OpenKey key = call.open(kRead);
  const StoredCuckoo* const stored = cuckoo_or_none(key);
  if (stored != nullptr) require_complete(*stored);
  call.reply_number(stored == nullptr ? 0 : stored->filter().count(call.word(2)));
}

// CF.DEL key item
void cf_del(Call& call) {
  const OpenKey key = call.open(kRead | kWrite);
  auto* const stored = key.get<StoredCuckoo>();
  key.require_not_lost();
  if (stored == nullptr) throw Refusal("Not found");
  if (!call.is_replay()) require_complete(*stored);
  const bool is_erased =
      stored->change([&](CuckooFilter& filter) { return filter.erase(call.word(2)); });
  if (is_erased) {
    call.replicate();
    call.changed("cf.del");
  }
  call.reply_bool(is_erased);
}

// CF.COMPACT key
void cf_compact(Call& call) {
  const OpenKey key = call.open(kRead | kWrite);
  auto* const stored = key.get<StoredCuckoo>();
  key.require_not_lost();
  if (stored == nullptr) throw Refusal("Cuckoo filter was not found");
  if (!call.is_replay()) require_complete(*stored);
  if (stored->change([](CuckooFilter& filter) { return filter.compact(); })) {
    call.replicate();
    call.changed("cf.compact");
  }
  call.reply_ok();
}

struct Number {
  const char* name;
  std::uint64_t (*of)(const CuckooShape& shape);
};
constexpr std::array<Number, 8> kInfo{{
    {"Size", redisbloom::memory_bytes},
    {"Number of buckets", [](const CuckooShape& shape) { return shape.bucket_count; }},
    {"Number of filters", [](const CuckooShape& shape) { return shape.sub_filters; }},
    {"Number of items inserted", [](const CuckooShape& shape) { return shape.items; }},
    {"Number of items deleted", [](const CuckooShape& shape) { return shape.deletes; }},
    {"Bucket size", [](const CuckooShape& shape) { return shape.bucket_size; }},
    {"Expansion rate", [](const CuckooShape& shape) { return shape.expansion; }},
    {"Max iterations", [](const CuckooShape& shape) { return shape.max_iterations; }},
}};

// CF.INFO key
void cf_info(Call& call) {
  const OpenKey key = call.open(kRead);
  const CuckooShape& shape = key.existing<StoredCuckoo>().filter().shape();
  call.reply_map(kInfo.size());
  for (const Number& each : kInfo) {
    call.reply_simple(each.name);
    call.reply_number(each.of(shape));
  }
}

// CF.DEBUG key
void cf_debug(Call& call) {
  const OpenKey key = call.open(kRead);
  const CuckooShape& shape = key.existing<StoredCuckoo>().filter().shape();
  call.reply_bytes("bktsize:" + std::to_string(shape.bucket_size) + " buckets:" +
                   std::to_string(shape.bucket_count) + " items:" + std::to_string(shape.items) +
                   " deletes:" + std::to_string(shape.deletes) +
                   " filters:" + std::to_string(shape.sub_filters) +
                   " max_iterations:" + std::to_string(shape.max_iterations) +
                   " expansion:" + std::to_string(shape.expansion));
}

// CF.SCANDUMP key position
void cf_scandump(Call& call) {
  const auto position = parse_integer(call.word(2));
  if (!position || *position < 0) throw Refusal("Invalid position");
  const OpenKey key = call.open(kRead);
  const auto& stored = key.existing<StoredCuckoo>();
  require_complete(stored);  // its slots would be taken for all of it
  const CuckooFilter& filter = stored.filter();
  call.reply_array(2);
  if (*position == 0 && filter.shape().items != 0) {
    call.reply_number(1);
    call.reply_bytes(redisbloom::encode_cuckoo_header(filter.shape()));
    return;
  }
  const auto chunk = filter.shape().items == 0
                         ? redisbloom::CuckooChunk{}
                         : redisbloom::cuckoo_chunk(filter, static_cast<std::uint64_t>(*position));
  call.reply_number(chunk.next);
  if (chunk.next == 0) {
    call.reply_null();
  } else {
    call.reply_bytes(chunk.slots);
  }
}

std::unique_ptr<StoredCuckoo> cuckoo_of_header(std::span<const std::byte> header) {
  try {
    redisbloom::CuckooPositions positions{};
    const CuckooShape shape = redisbloom::decode_any_cuckoo_header(header, positions);
    return StoredCuckoo::of_header(shape, positions);
  } catch (const redisbloom::HashSeedError& error) {
    throw Refusal(std::string("ERR ") + error.what());
  } catch (const std::exception&) {
    // Impossible, or too large for the machine.
  }
  throw Refusal("Couldn't create filter!");
}

void take_chunk(const Call& call, Slot& slot, std::int64_t position,
                std::span<const std::byte> bytes) {
  constexpr std::int64_t kHeaderPosition = 1;
  if (position == kHeaderPosition) {
    if (slot.get_or_none<StoredCuckoo>() != nullptr) throw Refusal("ERR item exists");
    if (!redisbloom::is_cuckoo_header(bytes.size())) throw Refusal("Invalid header");
    slot.store(cuckoo_of_header(bytes));
    return;
  }
  auto& stored = slot.existing<StoredCuckoo>();
  const bool was_incomplete = stored.is_incomplete();
  if (was_incomplete) require_few_ranges(call, stored.half().loaded);
  // Bytes other than it has would take items away. A piece that comes again is what it was.
  if (!was_incomplete && !call.is_replay() &&
      !(position > 0 && stored.has(static_cast<std::uint64_t>(position), bytes))) {
    throw Refusal("Couldn't load chunk!");
  }
  if (position < 0 || !stored.load(static_cast<std::uint64_t>(position), bytes)) {
    throw Refusal("Couldn't load chunk!");
  }
  if (was_incomplete) slot.store_if_whole(stored);
}

// CF.LOADCHUNK key position data
void cf_loadchunk(Call& call) {
  const auto position = parse_integer(call.word(2));
  if (!position || *position == 0) throw Refusal("Invalid position");
  const std::string_view text = call.word(3);
  const auto bytes = std::as_bytes(std::span<const char>(text.data(), text.size()));
  Slot slot(call, kRead | kWrite);
  slot.follow([&] {
    take_chunk(call, slot, *position, bytes);
    call.replicate();
  });
  call.changed("cf.loadchunk");
  call.reply_ok();
}

constexpr const char* kLook = "O(n), with n sub-filters";
constexpr const char* kLooks = "O(n * i), with n sub-filters and i items";
constexpr const char* kMoves = "O(n + m), with n sub-filters and at most m iterations";
constexpr const char* kManyMoves =
    "O(i * (n + m)), with i items, n sub-filters and at most m iterations";
constexpr const char* kBytes = "O(n), with n bytes of it";

constexpr std::uint64_t kChanges = kKeyReadWrite | kKeyUpdate;

// Every one has one key, its second word.
constexpr std::array<Command, 14> kCfCommands{{
    make_command<cf_reserve, 3, kAny>("cf.reserve", kWrites, "write fast cuckoo",
                                      {"Makes an empty cuckoo filter for a capacity", "O(1)",
                                       "1.0.0", kInserts, nullptr, cf::kReserve}),
    make_command<cf_add, 3, 3>("cf.add", kWrites, "write cuckoo",
                               {"Adds an item, and makes the cuckoo filter if there is none",
                                kMoves, "1.0.0", kInserts, nullptr, kKeyAndItem}),
    make_command<cf_addnx, 3, 3>("cf.addnx", kWrites, "write cuckoo",
                                 {"Adds an item unless it may be there already, and makes the "
                                  "cuckoo filter if there is none",
                                  kMoves, "1.0.0", kInserts, nullptr, kKeyAndItem}),
    make_command<cf_insert, 4, kAny>("cf.insert", kWrites, "write cuckoo",
                                     {"Adds items, and makes the cuckoo filter as the options say",
                                      kManyMoves, "1.0.0", kInserts, nullptr, cf::kInsert}),
    make_command<cf_insertnx, 4, kAny>(
        "cf.insertnx", kWrites, "write cuckoo",
        {"Adds the items that are surely absent, and makes the cuckoo filter as the options say",
         kManyMoves, "1.0.0", kInserts, nullptr, cf::kInsert}),
    make_command<cf_exists, 3, 3>("cf.exists", kReads, "read cuckoo",
                                  {"Returns whether an item may be in the cuckoo filter", kLook,
                                   "1.0.0", kTells, nullptr, kKeyAndItem}),
    make_command<cf_mexists, 3, kAny>(
        "cf.mexists", kReads, "read cuckoo",
        {"Returns for each item whether it may be in the cuckoo filter", kLooks, "1.0.0", kTells,
         nullptr, kKeyAndItems}),
    make_command<cf_count, 3, 3>("cf.count", kReads, "read cuckoo",
                                 {"Returns how often an item may be in the cuckoo filter", kLook,
                                  "1.0.0", kTells, nullptr, kKeyAndItem}),
    make_command<cf_del, 3, 3>(
        "cf.del", "write fast", "write cuckoo",
        {"Removes one add of an item", kLook, "1.0.0", kChanges, nullptr, kKeyAndItem}),
    make_command<cf_compact, 2, 2>(
        "cf.compact", "write", "write cuckoo",
        {"Moves items into older sub-filters, and removes the sub-filters that are empty then",
         "O(n * s), with n sub-filters and s slots", "2.2.0", kChanges, nullptr, kJustKey}),
    make_command<cf_info, 2, 2>(
        "cf.info", kReads, "read fast cuckoo",
        {"Returns the sizes of a cuckoo filter", kLook, "1.0.0", kTells, kNotCached, kJustKey}),
    make_command<cf_debug, 2, 2>("cf.debug", kReads, "read cuckoo",
                                 {"Returns the sizes of a cuckoo filter in one line", "O(1)",
                                  "1.0.0", kTells, kNotCached, kJustKey}),
    make_command<cf_scandump, 3, 3>("cf.scandump", kReads, "read cuckoo",
                                    {"Returns a cuckoo filter chunk by chunk", kBytes, "1.0.0",
                                     kKeyReadWrite | kKeyAccess, kNotCached, cf::kScanDump}),
    make_command<cf_loadchunk, 4, 4>(
        "cf.loadchunk", kWrites, "write cuckoo",
        {"Loads a chunk of a cuckoo filter", kBytes, "1.0.0", kInserts, nullptr, cf::kLoadChunk}),
}};

}  // namespace

void register_cf_commands(const Api& api, Context* context) {
  register_commands(api, context, "cuckoo", kCfCommands);
}

}  // namespace bloomery::module
