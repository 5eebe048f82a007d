// SPDX-License-Identifier: Apache-2.0
#include "module/add_cuckoo_items.h"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "module/cf_options.h"
#include "module/command.h"
#include "module/slot.h"

namespace bloomery::module {
namespace {

using redisbloom::CuckooFilter;
using redisbloom::CuckooInsert;
using redisbloom::CuckooOptions;
using redisbloom::CuckooShape;
using redisbloom::CuckooWork;

// A command of few words is to be short; one of many may take longer. Not what a primary says: that
// is to be followed.
CuckooWork work_for(const Call& call, std::size_t items) {
  constexpr std::uint64_t kStepsACommand = std::uint64_t{1} << 22;
  constexpr std::uint64_t kStepsAnItem = std::uint64_t{1} << 10;
  if (call.is_replay()) return {};
  return {.steps = kStepsACommand + kStepsAnItem * items,
          .most_sub_filters = std::clamp<std::uint64_t>(call.limits().cuckoo.max_expansions,
                                                        redisbloom::kMostGrownSubFilters,
                                                        redisbloom::kMostSubFilters)};
}

// The filter a command inserts into: the key's, or a new one that becomes the key's once an item is
// in.
class CuckooTarget {
 public:
  // `made_of`: what it is made of if there is none; or nothing, and then there must be one.
  CuckooTarget(Call& call, Slot& slot, const std::optional<CuckooOptions>& made_of)
      : call_(call), slot_(slot), made_of_(made_of) {
    stored_ = made_of ? slot_.get_or_none<StoredCuckoo>() : &slot_.existing<StoredCuckoo>();
    if (stored_ == nullptr) {
      call.require_not_evicted();
      made_ = make_cuckoo(*made_of);
      stored_ = made_.get();
    } else if (!call.is_replay()) {
      require_complete(*stored_);  // a slot that is still to come would take its place
    }
    if (!call.is_replay() &&
        stored_->filter().shape().sub_filters >= call.limits().cuckoo.max_expansions) {
      throw Refusal("Maximum expansions reached");
    }
  }

  StoredCuckoo& filter() const noexcept { return *stored_; }

  // Keeps it, and tells others which items went in; by the command as it is where that says no
  // more.
  void keep(std::span<String* const> added, bool as_it_is) {
    if (made_ != nullptr) {
      slot_.store(std::move(made_));
      call_.replicate_reserve(*made_of_);
      call_.changed("cf.reserve");
      as_it_is = false;
    }
    if (added.empty()) return;
    if (as_it_is) {
      call_.replicate();
    } else {
      call_.replicate_cuckoo_insert(added);
    }
    call_.changed("cf.add");
  }

 private:
  Call& call_;
  Slot& slot_;
  std::optional<CuckooOptions> made_of_;
  std::unique_ptr<StoredCuckoo> made_;
  StoredCuckoo* stored_ = nullptr;
};

void add_one(Call& call, Slot& slot, bool only_new) {
  CuckooTarget target(call, slot, usual_cuckoo_options(call.limits()));
  CuckooWork work = work_for(call, 1);
  const CuckooInsert became = target.filter().change([&](CuckooFilter& filter) {
    return only_new ? filter.insert_new(call.word(2), work) : filter.insert(call.word(2), work);
  });
  if (became == CuckooInsert::full) throw Full("Filter is full");
  if (became == CuckooInsert::no_memory) throw Refusal("ERR Insufficient memory");
  if (became == CuckooInsert::added) {
    const std::array items{call.raw_word(2)};
    target.keep(items, true);
  }
  call.reply_bool(became == CuckooInsert::added);
}

}  // namespace

std::unique_ptr<StoredCuckoo> make_cuckoo(const CuckooOptions& options) {
  std::optional<CuckooShape> shape;
  try {
    shape = redisbloom::cuckoo_shape(options);
    return StoredCuckoo::make(*shape);
  } catch (const std::invalid_argument&) {
    throw Refusal(shape ? "ERR Insufficient memory to create filter"
                        : "ERR Could not create filter");
  } catch (const std::bad_alloc&) {
    throw Refusal("ERR Insufficient memory to create filter");
  }
}

void add_cuckoo_item(Call& call, bool only_new) {
  Slot slot(call, kRead | kWrite);
  slot.follow([&] { add_one(call, slot, only_new); });
}

void add_cuckoo_items(Call& call, bool only_new) {
  const CuckooInsertOptions options = parse_cuckoo_insert(call.words(), call.limits());
  const std::vector<Key> items = call.words(options.first_item);
  const auto became = std::make_unique<CuckooInsert[]>(items.size());
  std::vector<String*> added;
  added.reserve(items.size());  // what went in must become known
  Slot slot(call, kRead | kWrite);
  slot.follow([&] {
    CuckooTarget target(call, slot, options.create ? std::optional(options.filter) : std::nullopt);
    CuckooWork work = work_for(call, items.size());
    target.filter().change(
        [&](CuckooFilter& filter) { filter.insert_many(items, only_new, became.get(), work); });
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (became[i] != CuckooInsert::added) continue;
      added.push_back(call.raw_word(options.first_item + i));
    }
    target.keep(added, false);  // a capacity that is right here may be refused elsewhere
    const auto end = became.get() + items.size();
    if (call.is_replay() && std::find(became.get(), end, CuckooInsert::no_memory) != end) {
      throw Refusal("ERR Insufficient memory");  // where it was added, it grew
    }
  });
  call.reply_array(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_added = became[i] == CuckooInsert::added;
    if (!only_new && call.is_resp3()) {
      call.reply_bool(is_added);
    } else if (is_added || became[i] == CuckooInsert::present) {
      call.reply_number(is_added ? 1 : 0);
    } else {
      call.reply_number(~std::uint64_t{0});  // -1
    }
  }
}

}  // namespace bloomery::module
