// SPDX-License-Identifier: Apache-2.0
#include "module/bloom_commands.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/write_native.h"
#include "module/add_items.h"
#include "module/bloom_arguments.h"
#include "module/bloom_delta.h"
#include "module/bloom_info.h"
#include "module/bloom_load.h"
#include "module/bloom_options.h"
#include "module/call.h"
#include "module/command.h"
#include "module/slot.h"
#include "module/stored_filter.h"
#include "module/upload.h"
#include "module/watermark_words.h"
#include "module/window_clock.h"

namespace bloomery::module {
namespace {

std::unique_ptr<StoredFilter> make(const BloomReserve& asked) {
  try {
    auto filter = StoredFilter::reserve(asked.kind, asked.filter);
    filter->take_identity(Identity::random());
    return filter;
  } catch (const std::bad_alloc&) {
    throw Refusal("ERR Insufficient memory to create filter");
  } catch (const std::invalid_argument& error) {
    throw Refusal(std::string("ERR ") + error.what());
  }
}

// Returns whether what the filter does not have is not in the source either, up to the fence.
bool reaches(const StoredFilter& filter, const Watermark& fence) {
  const auto reached = filter.notes().reached();
  return reached && reached->reaches(fence) && !loses_keys(filter.parameters().kind);
}

// BLOOM.RESERVE key error capacity [LAYOUT blocked|classic] [SEED n | SECRET] [TIGHTENING r]
// [EXPANSION n] [NX] [EX seconds] [COUNTING] [WINDOW seconds [GENERATIONS g]]
void bloom_reserve(Call& call) {
  const BloomReserve asked = parse_bloom_reserve(call.words(), call.limits());
  Slot slot(call, kRead | kWrite);
  slot.require_no_items_kept();
  if (slot.get_or_none<StoredFilter>() != nullptr) {
    if (!asked.terms.only_if_new) throw Refusal("ERR item exists");
    call.reply_null();
    return;
  }
  const StoredFilter& filter = slot.store(make(asked));
  // The header is replicated with the parameters as they are, the secret key among them.
  call.replicate_head(NativeHead(filter.contents(), filter.notes()).bytes);
  call.expire_after(slot, asked.terms.expires_after_ms);
  call.changed("bloom.reserve");
  call.reply_ok();
}

// BLOOM.ADD key item
void bloom_add(Call& call) {
  add_item(call);
}

// BLOOM.MADD key item [item ...]
void bloom_madd(Call& call) {
  add_items(call, 2);
}

// BLOOM.APPLY key milliseconds item [item ...]: what replicas and files get. Closed to all others:
// at a far moment it would empty a window.
void bloom_apply(Call& call) {
  if (!call.is_replay()) {
    throw Refusal("ERR BLOOM.APPLY is for append-only files and primaries alone");
  }
  const auto milliseconds = parse_integer(call.word(2));
  if (!milliseconds || *milliseconds <= 0) {
    throw Refusal("ERR milliseconds since 1970 must be a whole number from 1");
  }
  Slot slot(call, kRead | kWrite);
  slot.follow([&] {
    const std::vector<Key> items = call.words(3);
    Upload* const load = slot.load();
    if (load != nullptr) {
      for (const Key item : items) {
        note(call, *load, item, static_cast<std::uint64_t>(*milliseconds));
      }
      call.replicate();
      if (slot.loading() != nullptr) return slot.await_load();
      load->had_filter = true;
    }
    auto& filter = slot.existing<StoredFilter>();
    const auto was_new = std::make_unique<bool[]>(items.size());
    InsertProgress progress;
    {
      const AtMoment moment(static_cast<std::uint64_t>(*milliseconds));
      filter.insert_while_room(items, was_new.get(), progress);
      insert_the_rest(filter, items, was_new.get(), progress);
    }
    if (load == nullptr) call.replicate();
    call.changed("bf.add");
  });
  call.reply_ok();
}

// BLOOM.DEL key item
void bloom_del(Call& call) {
  const OpenKey key = call.open(kRead | kWrite);
  auto& filter = key.existing<StoredFilter>();
  if (!filter.can_erase()) {
    throw Refusal("ERR only a filter made with COUNTING can delete, and this is of another kind");
  }
  const bool was_there = filter.may_contain(call.word(2)) && filter.erase(call.word(2));
  if (was_there) {
    call.replicate();
    call.changed("bloom.del");
  }
  call.reply_bool(was_there);
}

// BLOOM.CHECK key [FENCE source position] item [item ...]
void bloom_check(Call& call) {
  std::optional<Watermark> fence;
  if (same_word(call.word(2), "FENCE")) {
    if (call.size() < 6) throw WrongArity();
    fence = parse_watermark(call.word(3), call.word(4));
  }
  const Slot slot(call, kRead);
  const bool is_lost = slot.get<LostFilter>() != nullptr;
  const auto* const filter = is_lost ? nullptr : slot.get_or_none<StoredFilter>();
  if (filter == nullptr ? slot.load() != nullptr : filter->is_incomplete()) {
    throw Refusal(kNotReady);
  }
  if (filter == nullptr) {
    call.reply_null();
    return;
  }
  const std::vector<Key> items = call.words(fence ? 5 : 2);
  const auto found = std::make_unique<bool[]>(items.size());
  filter->may_contain_many(items, found.get());
  const bool may_say_no = !fence || reaches(*filter, *fence);
  call.reply_array(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (found[i] || may_say_no) {
      call.reply_number(found[i] ? 1 : 0);
    } else {
      call.reply_null();
    }
  }
}

// A beat goes on from 2^64 - 1 with 0.
std::uint64_t parse_beat(std::string_view word, std::uint64_t least) {
  const auto number = parse_position(word);
  if (!number || *number < least) {
    throw Refusal("ERR a beat is a whole number from 0 to 2^64 - 1, and BY from 1");
  }
  return *number;
}

// BLOOM.ADVANCE key EPOCH identity [BEAT n [BY step]] FROM watermark TO watermark [ITEMS item ...]
void bloom_advance(Call& call) {
  std::size_t at = 2;
  const auto take = [&](std::string_view name) {
    if (at + 1 >= call.size() || !same_word(call.word(at), name)) {
      throw Refusal("ERR expected " + std::string(name) +
                    "; BLOOM.ADVANCE key EPOCH identity [BEAT n [BY step]] FROM watermark TO "
                    "watermark [ITEMS item ...]");
    }
    at += 2;
    return call.word(at - 1);
  };
  const Identity identity = parse_identity(take("EPOCH"));
  const auto comes = [&](std::string_view name) {
    return at < call.size() && same_word(call.word(at), name);
  };
  std::optional<std::uint64_t> beat;
  std::uint64_t by = 1;
  if (comes("BEAT")) {
    beat = parse_beat(take("BEAT"), 0);
    if (comes("BY")) by = parse_beat(take("BY"), 1);
  }
  const auto from = parse_watermark(take("FROM"));
  const auto next = parse_watermark(take("TO"));
  if (from && !next) throw Refusal("ERR a watermark that is there does not go away");
  const std::size_t steps = at;
  if (at < call.size()) take("ITEMS");
  Slot slot(call, kRead | kWrite);
  slot.follow([&] {
    if (slot.loading() != nullptr) throw Refusal(kNotReady);
    auto& filter = slot.existing<StoredFilter>();
    if (filter.is_chain() || loses_keys(filter.parameters().kind)) {
      throw Refusal("ERR a filter of this kind has no watermark");
    }
    // First the items, so that the watermark is never ahead of them.
    if (steps < call.size()) add_all_items(call, slot, filter, steps + 1);
    const bool moved = filter.advance(identity, beat, from, next, by);
    if (moved) {
      call.replicate_first(steps);
      call.changed("bloom.advance");
    }
    call.reply_bool(moved);
  });
}

std::unique_ptr<StoredFilter> clone(const StoredFilter& filter) {
  try {
    return filter.clone();
  } catch (const std::bad_alloc&) {
    throw Refusal("ERR Insufficient memory to create filter");
  }
}

// BLOOM.MERGE destination source [source ...]
void merge(Call& call, Slot& slot) {
  slot.require_no_load();
  auto* const to = slot.get_or_none<StoredFilter>();
  std::vector<FilterContents> sources;
  for (std::size_t i = 2; i < call.size(); ++i) {
    const OpenKey source = call.open(kRead, i);
    const auto& filter = source.existing<StoredFilter>("ERR not found: a source");
    // A primary that was restarted meanwhile does not know of it any more.
    if (filter.is_incomplete() && !call.is_replay()) {
      throw Refusal("NOTREADY a source is still being loaded");
    }
    sources.push_back(filter.contents());
    // All are known to fit before anything changes.
    const auto obstacle =
        merge_obstacle(to != nullptr ? to->contents() : sources.front(), sources.back());
    if (!obstacle.empty()) throw Refusal("ERR cannot merge: " + obstacle);
  }
  try {
    std::unique_ptr<StoredFilter> made;
    if (to == nullptr) made = clone(call.open(kRead, 2).existing<StoredFilter>());
    StoredFilter& into = made != nullptr ? *made : *to;
    for (std::size_t i = made != nullptr ? 1 : 0; i < sources.size(); ++i) into.merge(sources[i]);
    if (made != nullptr) slot.store(std::move(made));
  } catch (const IncompatibleError& error) {
    throw Refusal(std::string("ERR ") + error.what());
  }
  call.replicate();
  call.changed("bloom.merge");
}
void bloom_merge(Call& call) {
  Slot slot(call, kRead | kWrite);
  slot.follow([&] { merge(call, slot); });
  call.reply_ok();
}

// BLOOM.INFO key [WATERMARK]
void bloom_info(Call& call) {
  const bool is_short = call.size() == 3;
  if (is_short && !same_word(call.word(2), "WATERMARK")) {
    throw Refusal("ERR expected WATERMARK, or nothing: BLOOM.INFO key [WATERMARK]");
  }
  const OpenKey key = call.open(kRead);
  const auto& filter = key.existing<StoredFilter>();
  is_short ? reply_watermark(call, filter.notes()) : reply_bloom_info(call, filter);
}

constexpr const char* kSince = "1.0.0";

constexpr std::array<Command, 12> kBloomCommands{{
    make_command<bloom_reserve, 4, kAny>(
        "bloom.reserve", kWrites, "write bloomery",
        {"Makes an empty filter that keeps its error rate, of the kind that the options say",
         "O(1)", kSince, kInserts, nullptr, bloom::kReserve}),
    make_command<bloom_add, 3, 3>(
        "bloom.add", kWrites, "write bloomery",
        {"Adds an item to a filter that is there", "O(1)", kSince, kInserts, nullptr, kKeyAndItem}),
    make_command<bloom_madd, 3, kAny>("bloom.madd", kWrites, "write bloomery",
                                      {"Adds items to a filter that is there", "O(i), with i items",
                                       kSince, kInserts, nullptr, kKeyAndItems}),
    make_command<bloom_apply, 4, kAny>(
        "bloom.apply", kWrites, "write bloomery",
        {"Adds items to a filter as of a moment; replicas and append-only files get this command",
         "O(i), with i items", kSince, kInserts, nullptr, bloom::kApply}),
    make_command<bloom_del, 3, 3>("bloom.del", "write fast", "write bloomery",
                                  {"Removes one add of an item from a counting filter", "O(1)",
                                   kSince, kKeyReadWrite | kKeyUpdate, nullptr, kKeyAndItem}),
    make_command<bloom_check, 3, kAny>(
        "bloom.check", kReads, "read bloomery",
        {"Returns for each item whether it may be in the filter; nil without a filter",
         "O(i), with i items", kSince, kTells, nullptr, bloom::kCheck}),
    make_command<bloom_advance, 8, kAny>(
        "bloom.advance", kWrites, "write bloomery",
        {"Adds items and moves the watermark behind them, if nobody else did", "O(i), with i items",
         kSince, kInserts, nullptr, bloom::kAdvance}),
    make_command<bloom_merge, 3, kAny>(
        "bloom.merge", kWrites, "write bloomery",
        {"Adds all items of several filters to a filter", "O(b), with b bytes of all filters",
         kSince, kInserts, nullptr, bloom::kMerge},
        -1),
    make_command<bloom_info, 2, 3>(
        "bloom.info", kReads, "read bloomery",
        {"Returns what a filter is, how full it is, and its error rate now",
         "O(1) above 256 KiB, and of the watermark alone, else O(b), "
         "with b bytes of it",
         kSince, kTells, kNotCached, bloom::kInfo}),
    make_command<bloom_read, 4, 4>(
        "bloom.read", "readonly", "read slow",
        {"Returns a range of a filter's bytes, for a copy elsewhere",
         "O(b), with b bytes of the range", kSince, kTells, kNotCached, bloom::kReadPiece}),
    make_command<bloom_delta, 5, 7>(
        "bloom.delta", "readonly", "read slow",
        {"Returns the hashes of the items that came into a filter, for a copy elsewhere",
         "O(i), with i items that came", kSince, kTells, kNotCached, bloom::kDelta}),
    make_command<bloom_load, 3, 8>(
        "bloom.load", kWrites, "write bloomery",
        {"Loads a filter that was built elsewhere, chunk by chunk",
         "O(b), with b bytes of the chunk", kSince, kInserts, nullptr, bloom::kLoad}),
}};

}  // namespace

void register_bloom_commands(const Api& api, Context* context) {
  register_commands(api, context, "bloomery", kBloomCommands);
}

}  // namespace bloomery::module
