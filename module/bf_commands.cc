// SPDX-License-Identifier: Apache-2.0
#include "module/bf_commands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/format/redisbloom/redisbloom_dump.h"
#include "module/add_items.h"
#include "module/bf_arguments.h"
#include "module/bf_options.h"
#include "module/call.h"
#include "module/command.h"
#include "module/half_load.h"
#include "module/slot.h"
#include "module/stored_filter.h"

namespace bloomery::module {
namespace {

using redisbloom::ReserveOptions;

constexpr const char* kBadData = "ERR received bad data";

// BF.RESERVE key error capacity [EXPANSION n] [NONSCALING] [NX] [EX seconds]
void bf_reserve(Call& call) {
  const ReserveOptions options = parse_reserve(call.words(), call.limits());
  const KeyTerms terms = call.is_replay() ? KeyTerms() : parse_reserve_terms(call.words());
  Slot slot(call, kRead | kWrite);
  slot.require_no_items_kept();
  if (slot.get_or_none<StoredFilter>() != nullptr) {
    if (!terms.only_if_new) throw Refusal("ERR item exists");
    call.reply_null();
    return;
  }
  slot.follow([&] {
    slot.store(make_chain(options));
    call.replicate_reserve(options);
    call.expire_after(slot, terms.expires_after_ms);
    call.changed("bf.reserve");
  });
  call.reply_ok();
}

// BF.ADD key item
void bf_add(Call& call) {
  add_item(call, Creation{usual_options(call.limits())});
}

// BF.MADD key item [item ...]
void bf_madd(Call& call) {
  add_items(call, 2, Creation{usual_options(call.limits())});
}

// BF.INSERT key [CAPACITY n] [ERROR p] [EXPANSION n] [NOCREATE] [NONSCALING] [NX] [EX seconds]
// ITEMS item [item ...]
void bf_insert(Call& call) {
  const InsertOptions options = parse_insert(call.words(), call.limits());
  std::optional<Creation> creation;
  if (options.create) creation = {options.filter, options.terms, options.says_all};
  add_items(call, options.first_item, creation);
}

// BF.EXISTS key item
void bf_exists(Call& call) {
  const Slot slot(call, kRead);
  const Key item = call.word(2);
  bool found = false;
  if (const StoredFilter* const filter = slot.asked(); filter != nullptr) {
    found = filter->may_contain(item);
    if (!found) require_complete(*filter);
  } else if (const AddedMeanwhile* const kept = slot.kept_items(); kept != nullptr) {
    found = kept->has(item);
  }
  call.reply_bool(found);
}

// BF.MEXISTS key item [item ...]
void bf_mexists(Call& call) {
  const Slot slot(call, kRead);
  const std::vector<Key> items = call.words(2);
  const auto found = std::make_unique<bool[]>(items.size());
  bool* const end = found.get() + items.size();
  if (const StoredFilter* const filter = slot.asked(); filter != nullptr) {
    filter->may_contain_many(items, found.get());
    if (std::find(found.get(), end, false) != end) require_complete(*filter);
  } else if (const AddedMeanwhile* const kept = slot.kept_items(); kept != nullptr) {
    std::ranges::transform(items, found.get(), [&](Key each) { return kept->has(each); });
  }
  call.reply_array(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) call.reply_bool(found[i]);
}

// BF.CARD key
void bf_card(Call& call) {
  const OpenKey key = call.open(kRead);
  const StoredFilter* const filter = key.get_or_none<StoredFilter>();
  call.reply_number(filter == nullptr ? 0 : filter->inserted());
}

struct InfoField {
  const char* name;  // what a caller asks for
  const char* title;
  void (*reply)(Call& call, const StoredFilter& filter, const FilterContents& contents);
};
constexpr std::array<InfoField, 5> kInfoFields{{
    {"capacity", "Capacity",
     [](Call& call, const StoredFilter&, const FilterContents& contents) {
       call.reply_number(contents.capacity());
     }},
    {"size", "Size",
     [](Call& call, const StoredFilter& filter, const FilterContents&) {
       call.reply_number(filter.memory_bytes());
     }},
    {"filters", "Number of filters",
     [](Call& call, const StoredFilter&, const FilterContents& contents) {
       call.reply_number(std::max<std::size_t>(contents.layers.size(), 1));
     }},
    {"items", "Number of items inserted",
     [](Call& call, const StoredFilter&, const FilterContents& contents) {
       call.reply_number(contents.inserted);
     }},
    {"expansion", "Expansion rate",
     [](Call& call, const StoredFilter& filter, const FilterContents& contents) {
       if (filter.grows()) {
         call.reply_number(
             static_cast<std::uint64_t>(std::ceil(contents.parameters.growth.expansion)));
       } else {
         call.reply_null();
       }
     }},
}};

// BF.INFO key [CAPACITY | SIZE | FILTERS | ITEMS | EXPANSION]
void bf_info(Call& call) {
  const OpenKey key = call.open(kRead);
  const StoredFilter& filter = key.existing<StoredFilter>();
  const FilterContents contents = filter.contents();
  if (call.size() == 2) {
    call.reply_map(kInfoFields.size());
    for (const InfoField& field : kInfoFields) {
      call.reply_simple(field.title);
      field.reply(call, filter, contents);
    }
    return;
  }
  for (const InfoField& field : kInfoFields) {
    if (!same_word(call.word(2), field.name)) continue;
    if (call.has_maps()) {
      call.reply_map(1);
      call.reply_simple(field.title);
    } else {
      call.reply_array(1);
    }
    field.reply(call, filter, contents);
    return;
  }
  throw Refusal("Invalid information value");
}

// Throws Refusal where the key holds nothing, or anything but a filter of RedisBloom's.
StoredFilter& existing_chain(const OpenKey& key) {
  auto& filter = key.existing<StoredFilter>();
  if (!filter.is_chain()) throw WrongType();
  return filter;
}

// BF.DEBUG key
void bf_debug(Call& call) {
  const OpenKey key = call.open(kRead);
  const FilterContents contents = existing_chain(key).contents();
  const bool is_64_bit = contents.parameters.kind == redisbloom::kKind.number;
  call.reply_array(1 + contents.layers.size());
  call.reply_bytes("size:" + std::to_string(contents.inserted));
  for (const Layer& link : contents.layers) {
    std::array<char, 32> ratio;
    std::snprintf(ratio.data(), ratio.size(), "%g", link.false_positive_rate);
    call.reply_bytes("bytes:" + std::to_string(redisbloom::link_bytes(link)) +
                     " bits:" + std::to_string(link.geometry.bit_count) +
                     " hashes:" + std::to_string(link.geometry.probe_count) + " hashwidth:" +
                     (is_64_bit ? "64" : "32") + " capacity:" + std::to_string(link.capacity) +
                     " size:" + std::to_string(link.inserted) + " ratio:" + ratio.data());
  }
}

// BF.SCANDUMP key iterator
void bf_scandump(Call& call) {
  const OpenKey key = call.open(kRead);
  const auto& filter = existing_chain(key);
  const FilterContents contents = filter.contents();
  const auto iterator = parse_integer(call.word(2));
  if (!iterator) throw Refusal("Second argument must be numeric");
  require_complete(filter);  // its bytes would be taken for all of it
  if (*iterator == 0) {
    const auto header = redisbloom::encode_header(contents);
    call.reply_array(2);
    call.reply_number(1);
    call.reply_bytes(header);
    return;
  }
  const redisbloom::Chunk chunk =
      *iterator < 0 ? redisbloom::Chunk{}
                    : redisbloom::dump_chunk(contents, static_cast<std::uint64_t>(*iterator));
  call.reply_array(2);
  call.reply_number(chunk.next);
  call.reply_bytes(chunk.bytes);
}

// A header that asks for more memory than there is counts as a bad one.
std::unique_ptr<StoredFilter> filter_of_header(std::span<const std::byte> header) {
  try {
    return StoredFilter::of_header(header);
  } catch (const redisbloom::HashSeedError& error) {
    throw Refusal(std::string("ERR ") + error.what());
  } catch (const FormatError&) {
  } catch (const std::invalid_argument&) {
  } catch (const std::bad_alloc&) {
  }
  throw Refusal(kBadData);
}

void take_chunk(Call& call, Slot& slot, std::int64_t iterator, std::span<const std::byte> bytes) {
  // Append-only files of RedisBloom up to 2.2.6 have 0 before a header.
  if (slot.is_empty() && (iterator == 1 || (iterator == 0 && call.is_replay()))) {
    slot.store(filter_of_header(bytes));
    call.replicate();
    return;
  }
  using Took = redisbloom::ChunkLoader::Took;
  auto& filter = existing_chain(slot);
  if (iterator <= 0 || static_cast<std::uint64_t>(iterator) < bytes.size()) throw Refusal(kBadData);
  const auto end = static_cast<std::uint64_t>(iterator);
  const bool was_incomplete = filter.is_incomplete();
  if (was_incomplete) require_few_ranges(call, filter.loader().loaded());
  switch (filter.load(end, bytes, call.is_replay())) {
    case Took::all:
      break;
    case Took::no_such_link:
      throw Refusal("ERR invalid offset - no link found");
    case Took::beyond_its_link:
      throw Refusal("ERR invalid chunk - Too big for current filter");
  }
  if (was_incomplete && !call.is_replay() && !bytes.empty()) {
    // With what was added meanwhile, as it is here.
    const FilterContents contents = filter.contents();
    call.replicate_chunk(end,
                         redisbloom::dump_chunk(contents, end - bytes.size(), bytes.size()).bytes);
  } else {
    call.replicate();
  }
  if (was_incomplete) slot.store_if_whole(filter);
}

// BF.LOADCHUNK key iterator data
void bf_loadchunk(Call& call) {
  const auto iterator = parse_integer(call.word(2));
  if (!iterator) throw Refusal("ERR Second argument must be numeric");
  const std::string_view text = call.word(3);
  const auto bytes = std::as_bytes(std::span<const char>(text.data(), text.size()));
  Slot slot(call, kRead | kWrite);
  slot.require_no_load();
  slot.follow([&] { take_chunk(call, slot, *iterator, bytes); });
  call.changed("bf.loadchunk");
  call.reply_ok();
}

// BF._HASHCHECK key version-and-seed: of which hash a filter is, as append-only files say of each
// before they make it.
void bf_hashcheck(Call& call) {
  const std::string_view text = call.word(2);
  if (redisbloom::has_hash_seed(std::as_bytes(std::span<const char>(text.data(), text.size())))) {
    throw Refusal(std::string("ERR ") + redisbloom::HashSeedError::kWhy);
  }
  call.reply_ok();
}

constexpr const char* kOneItem = "O(k * n), with k probes and n links";
constexpr const char* kItems = "O(k * n * i), with k probes, n links and i items";
constexpr const char* kLinks = "O(n), with n links";

// Every one has one key, its second word.
constexpr std::array<Command, 12> kBfCommands{{
    make_command<bf_reserve, 4, 10>("bf.reserve", kWrites, "write fast bloom",
                                    {"Makes an empty filter for an error rate and a capacity",
                                     "O(1)", "1.0.0", kInserts, nullptr, bf::kReserve}),
    make_command<bf_add, 3, 3>("bf.add", kWrites, "write bloom",
                               {"Adds an item, and makes the filter if there is none", kOneItem,
                                "1.0.0", kInserts, nullptr, kKeyAndItem}),
    make_command<bf_madd, 3, kAny>("bf.madd", kWrites, "write bloom",
                                   {"Adds items, and makes the filter if there is none", kItems,
                                    "1.0.0", kInserts, nullptr, kKeyAndItems}),
    make_command<bf_insert, 4, kAny>("bf.insert", kWrites, "write bloom",
                                     {"Adds items, and makes the filter as the options say", kItems,
                                      "1.0.0", kInserts, nullptr, bf::kInsert}),
    make_command<bf_exists, 3, 3>("bf.exists", kReads, "read bloom",
                                  {"Returns whether an item may be in the filter", kOneItem,
                                   "1.0.0", kTells, nullptr, kKeyAndItem}),
    make_command<bf_mexists, 3, kAny>("bf.mexists", kReads, "read bloom",
                                      {"Returns for each item whether it may be in the filter",
                                       kItems, "1.0.0", kTells, nullptr, kKeyAndItems}),
    make_command<bf_card, 2, 2>("bf.card", kReads, "read fast bloom",
                                {"Returns how many items were new when they were added", "O(1)",
                                 "2.4.4", kTells, nullptr, kJustKey}),
    make_command<bf_info, 2, 3>("bf.info", kReads, "read fast bloom",
                                {"Returns the capacity, size and number of items of a filter",
                                 "O(1)", "1.0.0", kTells, kNotCached, bf::kInfo}),
    make_command<bf_debug, 2, 2>("bf.debug", kReads, "read bloom",
                                 {"Returns the sizes of each link of a filter", kLinks, "1.0.0",
                                  kTells, kNotCached, kJustKey}),
    make_command<bf_scandump, 3, 3>(
        "bf.scandump", kReads, "read bloom",
        {"Returns a filter chunk by chunk", "O(n), with n bytes of it", "1.0.0",
         kKeyReadWrite | kKeyAccess, kNotCached, bf::kScanDump}),
    make_command<bf_loadchunk, 4, 4>("bf.loadchunk", kWrites, "write bloom",
                                     {"Loads a chunk of a filter", "O(n), with n bytes of it",
                                      "1.0.0", kInserts, nullptr, bf::kLoadChunk}),
    make_command<bf_hashcheck, 3, 3>("bf._hashcheck", kReads, "read bloom",
                                     {"Refuses the mark of filters that were made with a hash "
                                      "seed, which append-only files have",
                                      "O(1)", "8.8.0", kTells, nullptr, kKeyAndItem}),
}};

}  // namespace

void register_bf_commands(const Api& api, Context* context) {
  register_commands(api, context, "bloom", kBfCommands);
}

}  // namespace bloomery::module
