// SPDX-License-Identifier: Apache-2.0
#include "module/add_items.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "module/window_clock.h"

namespace bloomery::module {
namespace {

constexpr const char* kFull = "ERR non scaling filter is full";
constexpr const char* kNotInserted = "ERR problem inserting into filter";

// The target of a command that adds: the filter that it found or made, and the load beside it.
struct Target {
  StoredFilter& filter;
  const Creation* made_by = nullptr;  // null: the filter was there before
  Upload* load = nullptr;

  // Returns whether others must learn also of items that did not change the filter, with their
  // moment.
  bool tells_all() const noexcept { return load != nullptr || filter.counts_repeats(); }
  // The moment of the command; 0 where nobody needs one, as asking the system takes time.
  std::uint64_t moment() const { return tells_all() ? window_now() : 0; }
};

Target target_of(const Call& call, Slot& slot, const std::optional<Creation>& creation) {
  auto* const found = creation ? slot.get_or_none<StoredFilter>() : &slot.existing<StoredFilter>();
  if (found != nullptr) return {*found, nullptr, slot.load()};
  if (!creation->says_all) call.require_not_evicted();
  return {slot.store(make_chain(creation->filter)), &*creation};
}

// Inserts; if a primary or a file said so the item was added, whatever room is here: a primary
// whose bits differ (before 8, and where rates above 0.25 or EXPANSION 0 are meant otherwise) takes
// a few items for present that count here.
Insert insert(const Call& call, StoredFilter& filter, Key item) {
  if (!call.is_replay()) return filter.try_insert(item);
  return filter.insert_regardless(item) ? Insert::added : Insert::present;
}

// Tells others of items that changed the filter, at the moment `now`. `as_it_is`: the command says
// no more than that.
void tell(Call& call, Slot& slot, const Target& to, std::span<String* const> items,
          std::uint64_t now, bool as_it_is) {
  if (to.made_by != nullptr) {
    call.replicate_insert(to.made_by->filter, items);
    call.changed("bf.reserve");
  } else if (!items.empty()) {
    if (to.tells_all()) {
      call.replicate_apply(now, items);
    } else if (as_it_is) {
      call.replicate();
    } else {
      call.replicate_add(to.filter.type() == ValueType::native ? "BLOOM.MADD" : "BF.MADD", items);
    }
  }
  if (!items.empty()) call.changed("bf.add");
  if (to.made_by != nullptr) call.expire_after(slot, to.made_by->terms.expires_after_ms);
}

// Adds to a load of a key that has no filter yet. Items from the word `first` on; the answers are
// an array, of whether each was new, or for `one` no array.
void add_to_load(Call& call, Slot& slot, Upload& load, std::size_t first, bool one) {
  slot.await_load();
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

void add_one(Call& call, Slot& slot, const std::optional<Creation>& creation) {
  if (Upload* const load = slot.loading(); load != nullptr) {
    return add_to_load(call, slot, *load, 2, true);
  }
  const Target to = target_of(call, slot, creation);
  const std::uint64_t now = to.moment();
  const AtMoment moment(now);
  Insert became = Insert::full;
  try {
    became = insert(call, to.filter, call.word(2));
  } catch (const std::exception&) {
    throw Refusal(kNotInserted);
  }
  if (became == Insert::full) throw Full(kFull);
  if (to.load != nullptr) {
    to.load->had_filter = true;
    note(call, *to.load, call.word(2), now);
  }
  const std::array item{call.raw_word(2)};
  const bool changes = became == Insert::added || to.tells_all();
  tell(call, slot, to, std::span(item).first(changes ? 1 : 0), now, true);
  call.reply_bool(became == Insert::added);
}

// The outcome of adding the items of a command.
struct Added {
  std::vector<Key> items{};
  std::unique_ptr<bool[]> was_new{};
  InsertProgress progress{};
  bool is_full = false;
};

Added add_and_tell(Call& call, Slot& slot, const Target& to, std::size_t first) {
  const std::uint64_t now = to.moment();
  const AtMoment moment(now);
  Added added{.items = call.words(first)};
  const std::vector<Key>& items = added.items;
  added.was_new = std::make_unique<bool[]>(items.size());
  bool* const was_new = added.was_new.get();
  InsertProgress& progress = added.progress;
  bool is_failed = false;
  try {
    to.filter.insert_while_room(items, was_new, progress);
    added.is_full = progress.done < items.size();
  } catch (const std::exception&) {  // it was to grow, and could not
    is_failed = true;
  }
  if ((added.is_full || is_failed) && call.is_replay()) {
    try {
      insert_the_rest(to.filter, items, was_new, progress);
    } catch (const std::exception&) {
      throw Refusal(kNotInserted);  // where it was added, it grew
    }
    added.is_full = false;
  }

  if (to.load != nullptr) to.load->had_filter = true;
  std::vector<String*> changes;
  changes.reserve(to.load != nullptr ? progress.done : progress.added);
  for (std::size_t i = 0; i < progress.done; ++i) {
    if (to.load != nullptr) note(call, *to.load, items[i], now);
    if (was_new[i] || to.tells_all()) changes.push_back(call.raw_word(first + i));
  }
  tell(call, slot, to, changes, now, false);
  return added;
}

void add_many(Call& call, Slot& slot, std::size_t first, const std::optional<Creation>& creation) {
  if (Upload* const load = slot.loading(); load != nullptr) {
    return add_to_load(call, slot, *load, first, false);
  }
  if (creation && creation->terms.only_if_new && slot.get<StoredFilter>() != nullptr) {
    return call.reply_null();
  }
  const Target to = target_of(call, slot, creation);
  const Added added = add_and_tell(call, slot, to, first);
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
    if (to.load == nullptr && to.filter.may_contain(items[i])) {
      call.reply_bool(false);
    } else {
      call.reply_error(kNotInserted);
    }
  }
}

}  // namespace

std::unique_ptr<StoredFilter> make_chain(const redisbloom::ReserveOptions& options) {
  try {
    return StoredFilter::reserve(options);
  } catch (const std::bad_alloc&) {
    throw Refusal("ERR Insufficient memory to create filter");
  } catch (const std::invalid_argument&) {
    throw Refusal("ERR could not create filter");
  }
}

void insert_the_rest(StoredFilter& filter, std::span<const Key> items, bool* was_new,
                     InsertProgress& progress) {
  for (; progress.done < items.size(); ++progress.done) {
    was_new[progress.done] = filter.insert_regardless(items[progress.done]);
    if (was_new[progress.done]) ++progress.added;
  }
}

void add_item(Call& call, const std::optional<Creation>& creation) {
  Slot slot(call, kRead | kWrite);
  slot.follow([&] { add_one(call, slot, creation); });
}

void add_items(Call& call, std::size_t first, const std::optional<Creation>& creation) {
  Slot slot(call, kRead | kWrite);
  slot.follow([&] { add_many(call, slot, first, creation); });
}

void add_all_items(Call& call, Slot& slot, StoredFilter& filter, std::size_t first) {
  const Added added = add_and_tell(call, slot, {filter, nullptr, slot.load()}, first);
  if (added.is_full) throw Full(kFull);
  if (added.progress.done < added.items.size()) throw Refusal(kNotInserted);
}

}  // namespace bloomery::module
