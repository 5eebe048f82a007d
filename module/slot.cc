// SPDX-License-Identifier: Apache-2.0
#include "module/slot.h"

#include <memory>

namespace bloomery::module {

Slot::Slot(const Call& call, int mode)
    : OpenKey(call.context(), call.raw_word(1), mode), call_(call) {}

Upload* Slot::load() const {
  if (!Upload::any()) return nullptr;
  const auto name = upload_key(call_.word(1), call_.is_in_cluster());
  if (!name) return nullptr;
  const OpenKey shadow = call_.open(call_.make_string(*name), kRead);
  auto* const upload = shadow.get<Upload>();
  return upload != nullptr && upload->target == call_.word(1) ? upload : nullptr;
}

bool Slot::has_no_filter_yet() const {
  const auto* const lost = get<LostFilter>();
  return is_empty() || (lost != nullptr && lost->awaits_load());
}

// Returns whether a primary or a file goes on to change a filter that is lost here.
bool Slot::stays_lost() const {
  return get<LostFilter>() != nullptr && call_.is_replay() && loading() == nullptr;
}

const StoredFilter* Slot::asked() const {
  if (loading() != nullptr) return nullptr;
  require_not_lost();
  return get<StoredFilter>();
}

const AddedMeanwhile* Slot::kept_items() const {
  const Upload* const upload = load();
  if (upload != nullptr && !upload->added.spoilt().empty()) throw Refusal(kNotReady);
  return upload == nullptr ? nullptr : &upload->added;
}

void Slot::require_no_items_kept() const {
  const Upload* const upload = loading();
  if (upload == nullptr || (is_empty() && !upload->has_taken_items())) return;
  throw Refusal(
      "ERR a load of this key is under way, and has taken items; COMMIT or ABORT ends it");
}

void Slot::require_no_load() const {
  if (call_.is_replay() || load() == nullptr) return;
  throw Refusal("ERR a load of this key is under way, which would not have what comes now");
}

void Slot::await_load() {
  if (is_empty()) store(std::make_unique<LostFilter>(LostFilter::kAwaitsLoad));
}

void Slot::lose(const std::string& why, bool for_good) {
  if (get<LostFilter>() == nullptr) {
    store_again(std::make_unique<LostFilter>(why));
    call_.log_lost(why);
    call_.changed("bloom.lost");
  }
  if (for_good) {
    call_.replicate_lost(why);
  } else {
    call_.replicate();  // what comes next in the append-only file finds it lost again
  }
}

bool note(const Call& call, Upload& load, Key item, std::uint64_t milliseconds,
          std::uint64_t times) {
  const bool was_whole = load.added.spoilt().empty();
  const bool is_new = load.added.note(item, milliseconds, times);
  if (was_whole && !load.added.spoilt().empty() && call.is_slot_move()) throw Refusal(kNotKept);
  return is_new;
}

}  // namespace bloomery::module
