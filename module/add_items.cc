// SPDX-License-Identifier: Apache-2.0
#include "module/add_items.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <vector>

#include "module/window_clock.h"

namespace bloomery::module {
namespace {

constexpr const char* kFull = "ERR non scaling filter is full";
constexpr const char* kNotInserted = "ERR problem inserting into filter";
constexpr const char* kNotKept =
    "ERR the filter is still being loaded, and there is no memory to keep what is added meanwhile";

// Others need none, and asking the system takes time.
std::uint64_t moment_for(const StoredFilter& filter, const Upload* load) {
  return load != nullptr || filter.counts_repeats() ? window_now() : 0;
}

// Where a primary or a file said so the item was added, whatever room is here: a primary whose bits
// differ (before 8, and where rates above 0.25 or EXPANSION 0 are meant otherwise) takes a few
// items for present that count here.
Insert insert(const Call& call, StoredFilter& filter, Key item) {
  if (!call.is_replay()) return filter.try_insert(item);
  return filter.insert_regardless(item) ? Insert::added : Insert::present;
}

// `items` changed the filter, at the moment `now`. `as_it_is`: the command says no more than that.
void tell(Call& call, const StoredFilter& filter, const MadeOf& made_of,
          std::span<String* const> items, std::uint64_t now, bool as_it_is, const Upload* load) {
  if (made_of) {
    call.replicate_insert(*made_of, items);
    call.changed("bf.reserve");
  } else if (!items.empty()) {
    if (load != nullptr || filter.counts_repeats()) {
      call.replicate_apply(now, items);
    } else if (as_it_is) {
      call.replicate();
    } else {
      call.replicate_add(filter.type() == ValueType::native ? "BLOOM.MADD" : "BF.MADD", items);
    }
  }
  if (!items.empty()) call.changed("bf.add");
}

}  // namespace

void insert_the_rest(StoredFilter& filter, std::span<const Key> items, bool* was_new,
                     InsertProgress& progress) {
  for (; progress.done < items.size(); ++progress.done) {
    was_new[progress.done] = filter.insert_regardless(items[progress.done]);
    if (was_new[progress.done]) ++progress.added;
  }
}

bool note(const Call& call, Upload& load, Key item, std::uint64_t milliseconds,
          std::uint64_t times) {
  const bool was_whole = load.added.spoilt().empty();
  const bool is_new = load.added.note(item, milliseconds, times);
  if (was_whole && !load.added.spoilt().empty() && call.is_slot_move()) throw Refusal(kNotKept);
  return is_new;
}

void await_load(OpenKey& key) {
  if (key.is_empty()) key.store(std::make_unique<LostFilter>(LostFilter::kAwaitsLoad));
}

void require_no_items_kept(const Call& call, const OpenKey& key) {
  const Upload* const load = call.load_instead_of(key);
  if (load == nullptr || (key.is_empty() && !load->has_taken_items())) return;
  throw Refusal(
      "ERR a load of this key is under way, and has taken items; COMMIT or ABORT ends it");
}

void require_no_load(const Call& call) {
  if (call.is_replay() || call.load_under_way() == nullptr) return;
  throw Refusal("ERR a load of this key is under way, which would not have what comes now");
}

void add_to_load(Call& call, OpenKey& key, Upload& load, std::size_t first, bool one) {
  await_load(key);
  const std::uint64_t now = window_now();
  std::vector<String*> items;
  items.reserve(call.size() - first);
  if (!one) call.reply_array(call.size() - first);
  for (std::size_t i = first; i < call.size(); ++i) {
    try {
      // Nobody else has it: who cannot keep it, does not take it.
      if (!load.added.spoilt().empty()) throw Refusal(kNotKept);
      const bool was_new = call.is_replay() ? note(call, load, call.word(i), now)
                                            : load.added.keep(call.word(i), now);
      items.push_back(call.raw_word(i));
      call.reply_bool(was_new);
    } catch (const std::exception&) {
      call.reply_error(kNotKept);
    }
  }
  if (items.empty()) return;
  call.replicate_apply(now, items);
  call.changed("bf.add");
}

void add_item(Call& call, StoredFilter& filter, const MadeOf& made_of) {
  Upload* const load = made_of ? nullptr : call.load_under_way();
  const std::uint64_t now = moment_for(filter, load);
  const AtMoment moment(now);
  Insert became = Insert::full;
  try {
    became = insert(call, filter, call.word(2));
  } catch (const std::exception&) {
    throw Refusal(kNotInserted);
  }
  if (became == Insert::full) throw Full(kFull);
  if (load != nullptr) {
    load->had_filter = true;
    note(call, *load, call.word(2), now);
  }
  const std::array item{call.raw_word(2)};
  const bool changes = became == Insert::added || filter.counts_repeats() || load != nullptr;
  tell(call, filter, made_of, std::span(item).first(changes ? 1 : 0), now, true, load);
  call.reply_bool(became == Insert::added);
}

namespace {

// The outcome of adding the items of a command.
struct Added {
  std::vector<Key> items{};
  std::unique_ptr<bool[]> was_new{};
  InsertProgress progress{};
  bool is_full = false;
  const Upload* load = nullptr;
};

Added add_and_tell(Call& call, StoredFilter& filter, std::size_t first, std::size_t end,
                   const MadeOf& made_of) {
  Upload* const load = made_of ? nullptr : call.load_under_way();
  const std::uint64_t now = moment_for(filter, load);
  const AtMoment moment(now);
  Added added{.items = call.words(first), .load = load};
  added.items.resize(end - first);
  const std::vector<Key>& items = added.items;
  added.was_new = std::make_unique<bool[]>(items.size());
  bool* const was_new = added.was_new.get();
  InsertProgress& progress = added.progress;
  bool is_failed = false;
  try {
    filter.insert_while_room(items, was_new, progress);
    added.is_full = progress.done < items.size();
  } catch (const std::exception&) {  // it was to grow, and could not
    is_failed = true;
  }
  if ((added.is_full || is_failed) && call.is_replay()) {
    try {
      insert_the_rest(filter, items, was_new, progress);
    } catch (const std::exception&) {
      throw Refusal(kNotInserted);  // where it was added, it grew
    }
    added.is_full = false;
  }

  if (load != nullptr) load->had_filter = true;
  std::vector<String*> changes;
  changes.reserve(load != nullptr ? progress.done : progress.added);
  for (std::size_t i = 0; i < progress.done; ++i) {
    if (load != nullptr) note(call, *load, items[i], now);
    if (was_new[i] || filter.counts_repeats() || load != nullptr) {
      changes.push_back(call.raw_word(first + i));
    }
  }
  tell(call, filter, made_of, changes, now, false, load);
  return added;
}

}  // namespace

void add_items(Call& call, StoredFilter& filter, std::size_t first, const MadeOf& made_of) {
  const Added added = add_and_tell(call, filter, first, call.size(), made_of);
  const std::vector<Key>& items = added.items;
  const std::size_t done = added.progress.done;
  call.reply_array(added.is_full ? done + 1 : items.size());
  for (std::size_t i = 0; i < done; ++i) call.reply_bool(added.was_new[i]);
  if (added.is_full) {
    call.reply_error(kFull);
    return;
  }
  for (std::size_t i = done; i < items.size(); ++i) {
    // An item that only seems to be there counts as present, unless a load is under way: the filter
    // that the load makes need not seem to have it.
    if (added.load == nullptr && filter.may_contain(items[i])) {
      call.reply_bool(false);
    } else {
      call.reply_error(kNotInserted);
    }
  }
}

void add_all_items(Call& call, StoredFilter& filter, std::size_t first, std::size_t end) {
  const Added added = add_and_tell(call, filter, first, end, {});
  if (added.is_full) throw Full(kFull);
  if (added.progress.done < added.items.size()) throw Refusal(kNotInserted);
}

}  // namespace bloomery::module
