// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/followed_place.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/bitmap_remains.h"
#include "bloomery/redis/places/push_filter.h"
#include "bloomery/store/loaded_place.h"
#include "bloomery/store/regular_file.h"

namespace bloomery {

// The new filter: whatever is inserted into the place goes in here too.
struct FollowedPlace::Next {
  explicit Next(AnyFilter made) : filter(std::move(made)) {}

  void insert_many(std::span<const Key> keys) {
    const std::lock_guard lock(mutex);
    filter.insert_many(keys);
  }

  std::mutex mutex;
  AnyFilter filter;
};

struct FollowedPlace::Beside final : Rebuild {
  Beside(FollowedPlace& of, std::shared_ptr<Next> made) : place(of), next(std::move(made)) {}
  ~Beside() override {
    const std::lock_guard lock(place.mutex_);
    if (place.next_ == next) place.next_.reset();
  }

  void insert_many(std::span<const Key> keys, const CallContext&) override {
    next->insert_many(keys);
  }
  void commit(const CallContext&) override { finish(nullptr); }
  void commit_at(const Watermark& watermark, const CallContext&) override {
    if (!place.has_watermark()) place.refuse("has no watermark");
    finish(&watermark);
  }

  void finish(const Watermark* watermark) {
    const std::lock_guard lock(place.mutex_);
    if (place.next_ != next) throw StoreError(place.name() + ": this rebuild is over");
    place.replace(next->filter, watermark);
    place.next_.reset();
  }

  FollowedPlace& place;
  const std::shared_ptr<Next> next;
};

namespace {

[[noreturn]] void leave_alone(const std::exception& error) {
  throw FormatError(std::string(error.what()) +
                    "; what is no filter is left alone: a new one is made once it is removed");
}

bool is_foreign_live(const PlaceLocation& location) noexcept {
  return location.is_live() && location.is_foreign();
}

// Looks at what remains of another system's filter in a server after it could not be opened. Throws
// what that is; returns if it cannot be told.
void look_at_remains(const PlaceLocation& location, const std::exception& error) {
  redis::Client client(redis::parse_location(location.server));
  switch (redis::bitmap_remains(client, *location.format)) {
    case redis::Remains::damaged:
      throw redis::DamagedFilterError(error.what());
    case redis::Remains::others:
      leave_alone(error);
    case redis::Remains::unsaid:
      return;
  }
}

// Bits that a server has, and nothing else that says whose they are.
void require_no_stranger(const PlaceLocation& location) {
  redis::Client client(redis::parse_location(location.server));
  const auto length = redis::strange_length(client, *location.format);
  if (!length) return;
  throw FormatError(location.text() + ": a string of " + std::to_string(*length) +
                    " bytes is there, which is no such filter, and is left alone: "
                    "bloomery destroy removes it; trust=bits in the location says that it is a "
                    "filter of these settings, and a new one takes its place");
}

// Returns whether a file has a whole header of ours: then what cannot be opened was one of our
// filters.
bool was_our_file(const PlaceLocation& location) {
  if (location.is_live() || location.format != nullptr) return false;
  const auto file = RegularFile::open_existing(location.file.path, RegularFile::Access::read);
  if (!file) return false;
  std::vector<std::byte> head(std::min(file->size(), kMaxHeadBytes));
  try {
    file->read(head, 0);
    if (head.size() < kHeaderBytes) return false;
    const auto layout = FileLayout::of(get_number<std::uint16_t>(head, kFieldBytesAt),
                                       get_number<std::uint64_t>(head, kBodyBitsAt));
    decode_head(head, layout.file_bytes);
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

// Opens the filter of any kind that is at the location, and returns its head.
template <class Open>
PlaceHead open_any_filter(const PlaceLocation& location, Open open) {
  try {
    return open()->head();
  } catch (const redis::DamagedFilterError&) {
    throw;
  } catch (const redis::NoFilterError& error) {
    leave_alone(error);
  } catch (const FormatError& error) {
    if (is_foreign_live(location)) look_at_remains(location, error);
    if (was_our_file(location)) throw redis::DamagedFilterError(error.what());
    leave_alone(error);
  } catch (const redis::ConnectionError&) {
    throw;
  } catch (const redis::ExchangedError&) {
    throw;
  } catch (const redis::RefusedError& error) {
    // The type of its configuration; else it is no matter of what is there.
    if (is_foreign_live(location) && error.refusal == redis::Refusal::wrong_type)
      leave_alone(error);
    throw;
  } catch (const StoreError& error) {
    if (is_foreign_live(location)) look_at_remains(location, error);
    throw;
  }
}

// Opens the filter as open_any_filter() does. Throws DamagedFilterError for a filter that may be
// replaced, and FormatError for one that is left alone.
template <class Open>
PlaceHead open_whole(const PlaceLocation& location, Open open) {
  PlaceHead head = open_any_filter(location, open);
  // A chain that BF.ADD has made is somebody's, too.
  if (location.dialect && is_foreign(head.parameters.kind)) {
    throw FormatError(location.text() +
                      ": a filter of RedisBloom's is there, which keeps no watermark, and is left "
                      "alone: bloomery destroy removes it");
  }
  if (is_foreign_live(location) && !head.identity.is_set()) require_no_stranger(location);
  return head;
}

// Opens again if the filter was exchanged meanwhile: another process that builds it may put its own
// there between two questions of this one.
auto again_if_exchanged(auto open) {
  constexpr int kMostTries = 10;
  for (int i = 1; i < kMostTries; ++i) {
    try {
      return open();
    } catch (const redis::ExchangedError&) {
      // Opens the filter that is there now.
    }
  }
  return open();
}

// Somebody may have put something there since it was looked at.
void require_no_strange_file(const PlaceLocation& location) {
  if (was_our_file(location)) return;
  try {
    open_whole(location, [&] { return std::make_unique<LoadedPlace>(location.file); });
  } catch (const redis::DamagedFilterError&) {
    // A damaged filter is no strange file.
  }
}

}  // namespace

std::optional<PlaceHead> head_to_follow(const PlaceLocation& location) {
  if (!is_taken(location)) return std::nullopt;
  try {
    // One that lacks a partition is made anew by who writes, and unknown to who reads.
    const auto access =
        location.is_own_bitmap() ? PlaceOptions::read_write : PlaceOptions::read_only;
    return again_if_exchanged([&] {
      return open_whole(location, [&] { return open_place(location, {.access = access}); });
    });
  } catch (const redis::DamagedFilterError&) {
    return std::nullopt;
  }
}

void FollowedPlace::require_followable(const PlaceLocation& location) {
  if (location.dialect != redis::Dialect::bf) return;
  throw std::invalid_argument(location.text() +
                              ": its server takes no filter as a whole, so that a follower cannot "
                              "begin; bitmap: or bloom: can");
}

FollowedPlace::FollowedPlace(PlaceLocation location, FilterMaker make)
    : location_(std::move(location)), make_(std::move(make)) {
  require_followable(location_);
  // Before anything is asked of a database.
  const AnyFilter filter = make_({.capacity = 1000, .keys = {}});
  form_ = filter.parameters().keys;
  if (!filter.can_insert()) refuse("a filter that is built once cannot be followed");
  if (filter.can_erase()) {
    refuse("a counting filter's \"absent\" is no promise; another kind is to be followed");
  }
  require_keeps(filter.parameters().kind, name());
  if (location_.dialect && is_foreign(filter.parameters().kind)) {
    refuse("a filter of RedisBloom's keeps no watermark; allowed: kinds of our own");
  }
  if (!location_.dialect) require_may_be_there(filter.parameters().kind, location_);
  open_if_there();
}

FollowedPlace::~FollowedPlace() = default;

bool FollowedPlace::has_watermark() const noexcept {
  return !location_.is_foreign() || location_.has_trailer;
}

// With the lock.
PlaceHead FollowedPlace::open() {
  inner_.reset();
  PlaceHead head = again_if_exchanged([&] {
    return open_whole(location_, [&]() -> FilterPlace* {
      if (location_.is_live()) {
        inner_ = open_place(location_, {.access = PlaceOptions::read_write, .keys_as_said = true});
      } else {
        inner_ = std::make_unique<LoadedPlace>(location_.file);
      }
      return inner_.get();
    });
  });
  require_keeps(head.parameters.kind, location_.text());
  was_lost_ = false;
  const KeyForm& theirs = head.parameters.keys;
  // A filter that does not say its form is asked in every form.
  if (location_.is_foreign() || !theirs.is_known() || theirs == form_) return head;
  // Somebody's who follows in another form: keys of this one would be denied to who asks there.
  inner_.reset();
  throw FormatError(location_.text() + ": a filter whose keys are written as " + form_text(theirs) +
                    " is there, where this follower writes " + form_text(form_) +
                    "; it is left alone: bloomery destroy removes it");
}

// With the lock.
bool FollowedPlace::is_lost_file() const {
  auto* const file = dynamic_cast<LoadedPlace*>(inner_.get());
  return file != nullptr && !file->is_there();
}

// With the lock. In a server something may have been written behind a filter, or it was cut short,
// or one of its keys evicted, and a file may be cut or damaged behind its head: whatever it held is
// in its table, from which a new one is made.
PlaceHead FollowedPlace::open_if_there() {
  inner_.reset();
  if (!is_taken(location_)) return {};
  try {
    return open();
  } catch (const redis::DamagedFilterError&) {
    inner_.reset();
    return {};
  } catch (const FormatError&) {
    inner_.reset();
    throw;
  }
}

FilterPlace& FollowedPlace::need() {
  if (!inner_) throw StoreError(name() + ": no filter is there yet");
  return *inner_;
}

void FollowedPlace::replace(const AnyFilter& filter, const Watermark* watermark) {
  inner_.reset();  // which holds a file's lock
  FileNotes notes;
  if (watermark != nullptr) {
    notes.source = watermark->source;
    notes.watermark = watermark->position;
  }
  notes.identity = Identity::random();
  if (location_.dialect) {
    redis::Client client(redis::parse_location(location_.server));
    redis::push_filter(filter.contents(), client, {.notes = notes});
  } else {
    // If nothing is there, a file that comes before the new one does is not replaced.
    const bool is_there = is_taken(location_);
    if (is_there && !location_.is_live()) require_no_strange_file(location_);
    save(filter.contents(), location_,
         {.file = {.replace = is_there || location_.is_live(), .notes = std::move(notes)},
          .discard = true,
          .spares_strangers = true});
  }
  open();
}

void FollowedPlace::ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
                        const CallContext& context) {
  require_room(keys, answers);
  const std::shared_lock lock(mutex_);
  if (inner_) inner_->ask(keys, answers, proofs, context);
}

void FollowedPlace::insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                                const CallContext& context) {
  require_room(keys, outcomes);
  const std::shared_lock lock(mutex_);
  if (next_) next_->insert_many(keys);
  need().insert_many(keys, outcomes, context);
}

void FollowedPlace::flush(const CallContext& context) {
  const std::shared_lock lock(mutex_);
  if (inner_) inner_->flush(context);
  if (!inner_ && was_lost_) {
    throw StoreError(name() + ": somebody took it away, and no new one could be made");
  }
}

PlaceHead FollowedPlace::head(const CallContext& context) {
  const std::lock_guard lock(mutex_);
  // A file is ours alone while it is open, if it is still the one under its name. Of a server's
  // nobody knows, and what was remembered of bits that were lost is over where another is there.
  const bool is_lost = is_lost_file();
  was_lost_ = was_lost_ || is_lost;
  if (inner_ && !is_lost && !location_.is_live()) return inner_->head(context);
  return open_if_there();
}

AnyFilter FollowedPlace::copy(const CallContext& context) {
  const std::shared_lock lock(mutex_);
  return need().copy(context);
}

bool FollowedPlace::insert_and_advance(std::span<const Key> keys, PlaceHead& head,
                                       const Watermark& next, const CallContext& context) {
  const std::shared_lock lock(mutex_);
  if (next_) next_->insert_many(keys);
  return need().insert_and_advance(keys, head, next, context);
}

std::unique_ptr<Rebuild> FollowedPlace::begin_rebuild(const FilterOptions& options,
                                                      const CallContext&) {
  auto next = std::make_shared<Next>(make_(options));
  // Before the table is read.
  require_fits(next->filter.contents(), location_);
  const std::lock_guard lock(mutex_);
  if (next_) throw StoreError(name() + ": a rebuild is under way already");
  next_ = next;
  return std::make_unique<Beside>(*this, std::move(next));
}

void FollowedPlace::destroy(const CallContext&) {
  const std::lock_guard lock(mutex_);
  inner_.reset();
  bloomery::destroy(location_);
}

}  // namespace bloomery
