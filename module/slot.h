// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "module/call.h"
#include "module/open_key.h"
#include "module/refusal.h"
#include "module/stored_filter.h"
#include "module/upload.h"

namespace bloomery::module {

// The key of a command, word 1, and how far a filter has come to it:
//
//   empty     there is nothing, and no load of the key is under way
//   filter    a filter is there; half a filter has pieces that are missing (is_incomplete())
//   loading   a load is under way, and no filter is there before it ends; the load takes what is
//             added meanwhile, and the key holds a LostFilter from the first item on
//   lost      a filter was to be there; nothing can be asked or added before it is loaded anew
//   other     the value is of a type that the command does not know
//
// A load may also be under way beside a filter, which then serves until the load ends.
class Slot : public OpenKey {
 public:
  Slot(const Call& call, int mode);

  // The load of the key that is under way; null without one. It stays when its own key is closed.
  Upload* load() const;
  // The load under way if the key is loading; null in all other states.
  Upload* loading() const { return has_no_filter_yet() ? load() : nullptr; }

  // The filter that a question asks. Null where the key is empty, loading or of another type, which
  // count as an empty filter. Throws Refusal where the filter is lost.
  const StoredFilter* asked() const;
  // The items that the load under way has kept; null without a load. Throws Refusal if the load has
  // lost them.
  const AddedMeanwhile* kept_items() const;

  // Throws Refusal where the load under way has taken items of a key without a filter: a filter
  // that is made now would say "absent" of them.
  void require_no_items_kept() const;
  // Throws Refusal while a load is under way, but not where a primary or a file says the command.
  // Keys that are added without their items would not be in the filter that is on its way.
  void require_no_load() const;
  // Marks an empty key as loading, before the load takes items for it: the filter that is made when
  // the load is gone, by whomever, would say "absent" of them.
  void await_load();

  // Does what a command says. What a primary or a file says and cannot be done loses the filter:
  // not where the value is of another type, which is no filter that they know, and not where the
  // filter is full, as theirs was.
  template <class Do>
  void follow(Do act) {
    if (stays_lost()) return call_.replicate();
    try {
      act();
    } catch (const WrongType&) {
      throw;
    } catch (const Full&) {
      throw;
    } catch (const std::exception& error) {
      if (!call_.is_replay()) throw;
      lose(error.what(), dynamic_cast<const Evicted*>(&error) != nullptr);
      if (call_.is_slot_move()) throw;
    }
  }
  // Keeps, in the place of the filter, that it is lost and why, and says so in the log. The
  // append-only file gets the command, or, `for_good`, that the filter is lost.
  void lose(const std::string& why, bool for_good = false);
  // Stores a filter, whose last piece has come, as one that is whole; the expiry stays.
  template <class Value>
  void store_if_whole(Value& half) {
    if (!half.is_incomplete()) store_again(half.take_out());
  }

 private:
  bool has_no_filter_yet() const;
  bool stays_lost() const;

  const Call& call_;
};

// Keeps in a load what a filter has taken already, or what others say that it has. Returns whether
// it is new to the load. Where there is no memory for it the load cannot end well any more; throws
// Refusal if the item comes with a slot.
bool note(const Call& call, Upload& load, Key item, std::uint64_t milliseconds,
          std::uint64_t times = 1);

// Throws Refusal for half a filter: what it answers "absent" for may yet come.
template <class Value>
void require_complete(const Value& value) {
  if (value.is_incomplete()) throw Refusal(kNotReady);
}

inline constexpr const char* kNotKept =
    "ERR the filter is still being loaded, and there is no memory to keep what is added meanwhile";

}  // namespace bloomery::module
