// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filter/options.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/hash/key.h"
#include "bloomery/place/call_context.h"
#include "bloomery/place/presence.h"
#include "bloomery/place/proof.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

class AnyFilter;
class FollowedFilter;
struct FilterContents;

// The outcome of inserting a key somewhere. The key is in, whichever outcome it is.
enum class Inserted : std::uint8_t { unknown, present, added };

// Why a place says `unknown` of a key that its filter does not have.
enum class NoAbsent : std::uint8_t {
  none,            // it says `absent`
  not_ready,       // nobody has said that every key is in (MemoryPlace::ready)
  bits_alone,      // another system's bitmap, of which nothing but its bits says that it is whole
  without_markers  // a filter of BF.* that may have been lost and begun anew
};

// Returns a NoAbsent as a sentence for people, with what to do about it; empty for none.
std::string_view why(NoAbsent reason) noexcept;

// The description that a place gives of its filter.
struct PlaceHead {
  Identity identity{};            // made anew by whatever clears bits; unset: the place has none
  FilterParameters parameters{};  // with how its keys were written
  std::uint64_t inserted = 0;     // keys that seemed to be new
  // `watermark`: never ahead of the bits: every key of the source up to here is in. None: nobody
  // promises that.
  std::optional<Watermark> watermark{};
  // `beat`: has another value after each insert_and_advance() and advance(), so that the caller who
  // moved it last recognizes its own step.
  std::uint64_t beat = 0;
  bool is_empty = false;  // it holds no key; false where nobody knows
  NoAbsent no_absent = NoAbsent::none;
};

// A new filter beside the one that answers. From its making on, what is inserted into the place
// goes into both. Destroyed without commit(), it leaves the place as it was. The place outlives it.
//
// A key that was inserted before this was made is only in the old one: so read the source after
// every insert that began before has become visible there (docs/guard.md, "Rebuild").
class Rebuild {
 public:
  virtual ~Rebuild() = default;

  // Inserts keys into the new filter alone.
  virtual void insert_many(std::span<const Key> keys, const CallContext& context = {}) = 0;
  // The new filter answers from here on. Once. Throws where a key is missing in it.
  virtual void commit(const CallContext& context = {}) = 0;
  // Commits as commit() does, with a watermark that the new filter has from its first answer on. If
  // the place has no watermark, throws std::invalid_argument, and the rebuild goes on.
  virtual void commit_at(const Watermark& watermark, const CallContext& context = {});
};

// A filter somewhere: in memory, in a file, on a server. Only `absent` is a promise: the key was
// never inserted here. Who cannot know says `unknown`.
//
// All calls may run together. What a place cannot do it refuses, naming itself, with
// std::invalid_argument. What fails throws; a call that waits gives up with CallAborted when its
// context is over.
class FilterPlace {
 public:
  virtual ~FilterPlace() = default;

  // The place's name in messages: its location, mostly.
  virtual std::string name() const = 0;

  // answers[i] is about keys[i]; both are of one length, and the answers come in as `unknown`. What
  // was filled in before an exception is true. Behind a fence (context.fence), a place whose
  // watermark does not reach it, or which has none, says `unknown` for `absent`. A fence that names
  // no source is refused.
  //
  // Adds to `proofs` what the answers rest on. Without keys it is a look at the place as it is now:
  // it adds the proof of every part by which a key may be denied from now on, unless that moves,
  // and one whose filter is not known for each part that cannot be read.
  virtual void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                   const CallContext& context = {}) = 0;

  // One key. Override where that is cheaper than a batch of one.
  virtual Presence ask_one(Key key, Proofs& proofs, const CallContext& context = {}) {
    Presence answer = Presence::unknown;
    ask({&key, 1}, {&answer, 1}, proofs, context);
    return answer;
  }

  // Ask as ask() and ask_one() do, for callers that need no proofs.
  void presence_of_many(std::span<const Key> keys, std::span<Presence> answers,
                        const CallContext& context = {}) {
    require_fence(context);
    if (keys.empty() && answers.empty()) return;
    Proofs proofs;
    ask(keys, answers, proofs, context);
  }
  Presence presence_of(Key key, const CallContext& context = {}) {
    require_fence(context);
    Proofs proofs;
    return ask_one(key, proofs, context);
  }

  // Inserts the keys: after it returned, none of them is ever `absent` again. Throws where that
  // cannot be promised for all of them. `outcomes` is empty, or as long as the keys.
  virtual void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                           const CallContext& context = {}) = 0;
  void insert_many(std::span<const Key> keys, const CallContext& context = {}) {
    insert_many(keys, std::span<Inserted>(), context);
  }
  void insert(Key key, const CallContext& context = {}) { insert_many({&key, 1}, context); }

  // Returns when what was inserted survives this process, where the place can do that at all.
  virtual void flush(const CallContext&) {}

  // The head as it is now. Throws where there is no filter, or it is away.
  virtual PlaceHead head(const CallContext& context = {}) = 0;

  // All of the filter at one moment, in memory; behind a fence with all keys up to it, or throws.
  virtual AnyFilter copy(const CallContext& context = {});

  // The further operations of a place whose filter may be moved, made anew or removed; null: it has
  // none. followed_filter.h says what each function below does.
  virtual FollowedFilter* followed() noexcept { return nullptr; }
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context = {});
  // A step without keys. What is in `expected` stays.
  bool advance(const PlaceHead& expected, const Watermark& next, const CallContext& context = {});
  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext& context = {});
  void merge(const FilterContents& other);
  void destroy(const CallContext& context = {});

 protected:
  // Each place begins with require_room(): throws std::invalid_argument, naming both numbers,
  // unless there are as many answers as keys, and as many outcomes or none.
  void require_room(std::span<const Key> keys, std::span<const Presence> answers) const {
    if (keys.size() != answers.size()) [[unlikely]]
      refuse_room(keys.size(), answers.size());
  }
  void require_room(std::span<const Key> keys, std::span<const Inserted> outcomes) const {
    if (!outcomes.empty() && keys.size() != outcomes.size()) [[unlikely]] {
      refuse_room(keys.size(), outcomes.size());
    }
  }

  // Asking and copying begin with require_fence(): throws std::invalid_argument if the context has
  // a fence that names no source.
  void require_fence(const CallContext& context) const {
    if (context.has_nameless_fence()) [[unlikely]]
      refuse(kNamelessFence);
  }

  // "NAME: WHY", as std::invalid_argument.
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  [[noreturn]] void refuse_room(std::size_t keys, std::size_t room) const;
};

}  // namespace bloomery
