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
#include "module/stored_filter.h"

namespace bloomery::module {
namespace {

using redisbloom::ReserveOptions;

constexpr const char* kNoMemory = "ERR Insufficient memory to create filter";
constexpr const char* kBadData = "ERR received bad data";

std::unique_ptr<StoredFilter> make(const ReserveOptions& options) {
  try {
    return StoredFilter::reserve(options);
  } catch (const std::bad_alloc&) {
    throw Refusal(kNoMemory);
  } catch (const std::invalid_argument&) {
    throw Refusal("ERR could not create filter");
  }
}

// BF.RESERVE key error capacity [EXPANSION n] [NONSCALING] [NX] [EX seconds]
void bf_reserve(Call& call) {
  const ReserveOptions options = parse_reserve(call.words(), call.limits());
  const KeyTerms terms = call.is_replay() ? KeyTerms() : parse_reserve_terms(call.words());
  OpenKey key = call.open(kRead | kWrite);
  require_no_items_kept(call, key);
  if (key.get_or_none<StoredFilter>() != nullptr) {
    if (!terms.only_if_new) throw Refusal("ERR item exists");
    call.reply_null();
    return;
  }
  follow_or_lose(call, key, [&] {
    key.store(make(options));
    call.replicate_reserve(options);
    call.expire_after(key, terms.expires_after_ms);
    call.changed("bf.reserve");
  });
  call.reply_ok();
}

// `made_of`: what a filter is made of if there is none; or nothing, and then there must be one.
// `says_all`: the command makes it as a primary that is this module tells of a new one.
void insert_items(Call& call, std::size_t first, MadeOf made_of, bool says_all = false,
                  const KeyTerms& terms = {}) {
  OpenKey key = call.open(kRead | kWrite);
  follow_or_lose(call, key, [&] {
    // A filter that is made now would say "absent" of all that the load brings.
    if (Upload* const load = call.load_instead_of(key); load != nullptr) {
      return add_to_load(call, key, *load, first, false);
    }
    const bool is_there = key.get_or_none<StoredFilter>() != nullptr;
    if (is_there && terms.only_if_new) return call.reply_null();
    if (is_there) made_of.reset();
    if (made_of && !says_all) call.require_not_evicted();
    StoredFilter& filter =
        made_of ? key.store<StoredFilter>(make(*made_of)) : key.existing<StoredFilter>();
    add_items(call, filter, first, made_of);
    if (made_of) call.expire_after(key, terms.expires_after_ms);
  });
}

// BF.ADD key item
void bf_add(Call& call) {
  OpenKey key = call.open(kRead | kWrite);
  follow_or_lose(call, key, [&] {
    if (Upload* const load = call.load_instead_of(key); load != nullptr) {
      return add_to_load(call, key, *load, 2, true);
    }
    StoredFilter* filter = key.get_or_none<StoredFilter>();
    MadeOf made_of;
    if (filter == nullptr) {
      call.require_not_evicted();
      made_of = usual_options(call.limits());
      filter = &key.store<StoredFilter>(make(*made_of));
    }
    add_item(call, *filter, made_of);
  });
}

// BF.MADD key item [item ...]
void bf_madd(Call& call) {
  insert_items(call, 2, usual_options(call.limits()));
}

// BF.INSERT key [CAPACITY n] [ERROR p] [EXPANSION n] [NOCREATE] [NONSCALING] [NX] [EX seconds]
// ITEMS item [item ...]
void bf_insert(Call& call) {
  const InsertOptions options = parse_insert(call.words(), call.limits());
  insert_items(call, options.first_item, options.create ? MadeOf(options.filter) : MadeOf(),
               options.says_all, options.terms);
}

// The filter that a question asks. A missing key and a key of another type count as an empty
// filter: null.
const StoredFilter* filter_or_none(const Call& call, const OpenKey& key) {
  if (call.load_instead_of(key) != nullptr) return nullptr;
  key.require_not_lost();
  return key.get<StoredFilter>();
}

// Throws Refusal for an item that half a filter does not have: it may be in the other half.
void require_complete_for(const StoredFilter& filter, bool found) {
  if (!found && filter.is_incomplete()) throw Refusal(kNotReady);
}

// Returns the items that were added before the first filter of the key, which count as present;
// null without a load. Throws Refusal if the load has lost them.
const AddedMeanwhile* kept_by_load(const Call& call) {
  const Upload* const load = call.load_under_way();
  if (load != nullptr && !load->added.spoilt().empty()) throw Refusal(kNotReady);
  return load == nullptr ? nullptr : &load->added;
}

// BF.EXISTS key item
void bf_exists(Call& call) {
  const OpenKey key = call.open(kRead);
  const StoredFilter* const filter = filter_or_none(call, key);
  if (filter == nullptr) {
    const AddedMeanwhile* const kept = kept_by_load(call);
    call.reply_bool(kept != nullptr && kept->has(call.word(2)));
    return;
  }
  const bool found = filter->may_contain(call.word(2));
  require_complete_for(*filter, found);
  call.reply_bool(found);
}

// BF.MEXISTS key item [item ...]
void bf_mexists(Call& call) {
  const std::vector<Key> items = call.words(2);
  const auto found = std::make_unique<bool[]>(items.size());
  {
    const OpenKey key = call.open(kRead);
    if (const StoredFilter* const filter = filter_or_none(call, key); filter != nullptr) {
      filter->may_contain_many(items, found.get());
      bool* const end = found.get() + items.size();
      require_complete_for(*filter, std::find(found.get(), end, false) == end);
    } else if (const AddedMeanwhile* const kept = kept_by_load(call); kept != nullptr) {
      std::ranges::transform(items, found.get(), [&](Key each) { return kept->has(each); });
    }
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
  // Its bytes would be taken for all of it.
  if (filter.is_incomplete()) throw Refusal(kNotReady);
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

void take_chunk(Call& call, OpenKey& key, std::int64_t iterator, std::span<const std::byte> bytes) {
  // Append-only files of RedisBloom up to 2.2.6 have 0 before a header.
  if (key.is_empty() && (iterator == 1 || (iterator == 0 && call.is_replay()))) {
    key.store(filter_of_header(bytes));
    call.replicate();
    return;
  }
  using Took = redisbloom::ChunkLoader::Took;
  auto& filter = existing_chain(key);
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
  if (was_incomplete && !filter.is_incomplete()) key.store_again(filter.take_out());
}

// BF.LOADCHUNK key iterator data
void bf_loadchunk(Call& call) {
  const auto iterator = parse_integer(call.word(2));
  if (!iterator) throw Refusal("ERR Second argument must be numeric");
  const std::string_view text = call.word(3);
  const auto bytes = std::as_bytes(std::span<const char>(text.data(), text.size()));
  require_no_load(call);
  OpenKey key = call.open(kRead | kWrite);
  follow_or_lose(call, key, [&] { take_chunk(call, key, *iterator, bytes); });
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
                                  {"Tells whether an item may be in the filter", kOneItem, "1.0.0",
                                   kTells, nullptr, kKeyAndItem}),
    make_command<bf_mexists, 3, kAny>("bf.mexists", kReads, "read bloom",
                                      {"Tells of items whether they may be in the filter", kItems,
                                       "1.0.0", kTells, nullptr, kKeyAndItems}),
    make_command<bf_card, 2, 2>("bf.card", kReads, "read fast bloom",
                                {"Tells how many items were new when they were added", "O(1)",
                                 "2.4.4", kTells, nullptr, kJustKey}),
    make_command<bf_info, 2, 3>(
        "bf.info", kReads, "read fast bloom",
        {"Tells the sizes of a filter", "O(1)", "1.0.0", kTells, kNotCached, bf::kInfo}),
    make_command<bf_debug, 2, 2>("bf.debug", kReads, "read bloom",
                                 {"Tells the sizes of each link of a filter", kLinks, "1.0.0",
                                  kTells, kNotCached, kJustKey}),
    make_command<bf_scandump, 3, 3>(
        "bf.scandump", kReads, "read bloom",
        {"Gives a filter piece by piece", "O(n), with n bytes of it", "1.0.0",
         kKeyReadWrite | kKeyAccess, kNotCached, bf::kScanDump}),
    make_command<bf_loadchunk, 4, 4>("bf.loadchunk", kWrites, "write bloom",
                                     {"Takes a piece of a filter", "O(n), with n bytes of it",
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
