// SPDX-License-Identifier: Apache-2.0
#include "cli/pulled_file.h"

#include <chrono>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/place/apply_hashes.h"
#include "bloomery/place/catch_up.h"
#include "bloomery/store/live_notes.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/replacement_file.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
// A signal ends pull no sooner.
constexpr std::chrono::milliseconds kUntilFree{1000};

}  // namespace

PulledFile::PulledFile(const PullArguments& arguments)
    : arguments_(arguments), source_(open_deltas(arguments.from)) {
  if (source_ != nullptr) return;
  throw std::invalid_argument(arguments.from.text() +
                              ": no filter of ours in a server (bitmap: and bloom: are); "
                              "bloomery convert copies it once");
}

bool PulledFile::go_on_with_file(const CallContext& context) {
  before_.emplace(arguments_.to.file.path);
  if (!before_->exists()) return false;
  CaughtUp caught;
  try {
    caught = catch_up(*source_, load_pulled(arguments_.to.file.path, kMostBytes), context);
  } catch (const StoreError&) {
    return false;
  } catch (const FormatError&) {
    return false;
  }
  if (!caught.whole) return false;
  written_ = caught.whole->identity;
  take(std::move(*caught.whole));
  added_ = caught.added;
  write();
  return true;
}

void PulledFile::read_whole(const CallContext& context) {
  if (written_) require_replaceable();
  before_.emplace(arguments_.to.file.path);
  take(source_->read_whole(kMostBytes, context));
  write();
}

bool PulledFile::go_on(const CallContext& context) {
  if (live_ && !is_live_named()) live_.reset();
  if (!live_ && !filter_) return false;
  if (filter_) {
    before_.emplace(arguments_.to.file.path);
    is_written_ = is_written_ && before_->exists();
  }
  for (bool is_last = false; !is_last;) {
    const auto delta = source_->since(position_, std::chrono::milliseconds(1), context);
    if (!delta || (delta->is_last && delta->identity != identity_)) return false;
    apply(delta->hashes);
    position_ = delta->position;
    is_last = delta->is_last;
    const bool is_further = is_last && delta->reached != reached_;
    if (is_last) reached_ = delta->reached;
    is_written_ = is_written_ && delta->hashes.empty() && !is_further;
  }
  if (!is_written_) write();
  return true;
}

// Changes the live file. One that takes no bits is given up: the next pull reads the filter anew.
template <class Change>
void PulledFile::change_live(Change change) {
  try {
    change(*live_);
  } catch (const StoreError&) {
    live_.reset();
    throw;
  }
}

void PulledFile::apply(std::span<const HashPair> hashes) {
  if (filter_) {
    added_ += apply_hashes(*filter_, hashes);
  } else {
    change_live([&](SharedFilter& live) { live.apply(hashes); });
  }
}

FilterContents PulledFile::contents() const {
  FilterContents contents = filter().contents();
  if (!filter_) return contents;
  contents.inserted += added_;
  if (!contents.layers.empty()) contents.layers.back().inserted += added_;
  return contents;
}

void PulledFile::take(DeltaSource::Whole whole) {
  const FilterKind kind = whole.filter.parameters().kind;
  if (arguments_.in_place && !is_changed_in_place(kind)) {
    throw std::invalid_argument(arguments_.from.text() + ": is a " +
                                std::string(kind_of(kind).name) +
                                " filter, which no file takes in place; without --in-place pull "
                                "writes the file anew");
  }
  filter_.emplace(std::move(whole.filter));
  identity_ = whole.identity;
  reached_ = whole.reached;
  beat_ = whole.beat;
  position_ = whole.position;
  added_ = 0;
}

// Returns whether a file is there; not where a link leads to none.
bool PulledFile::is_there() const {
  std::error_code unknown;  // writing it says what is wrong
  return std::filesystem::exists(arguments_.to.file.path, unknown);
}

void PulledFile::require_replaceable() const {
  if (!is_there()) return;
  const std::string& file = arguments_.to.text();
  if (!is_native(arguments_.to.file.path)) {
    throw StoreError(file + ": no filter of ours, and left alone");
  }
  if (arguments_.replace) return;
  if ((written_ || identity_.is_set()) &&
      inspect(arguments_.to.file.path).notes.identity == written_.value_or(identity_)) {
    return;
  }
  throw StoreError(file + ": already exists, and is another filter; --replace puts " +
                   arguments_.from.text() + " in its place");
}

std::string PulledFile::chain() const {
  std::string chain = source_->chain_at(position_);
  // A longer one leaves no room for notes that move.
  if (chain.size() > (arguments_.in_place ? kMostLiveChain : kMaxChainBytes)) chain.clear();
  return chain;
}

void PulledFile::write() {
  is_written_ = false;
  if (filter_) {
    write_anew();
  } else {
    change_live([&](SharedFilter& live) { live.advance(reached_, chain()); });
  }
  before_.reset();
  written_ = identity_;
  is_written_ = true;
}

// Somebody may have put another file where this one was written before.
void PulledFile::write_anew() {
  require_replaceable();
  if (!arguments_.in_place) return write_version();
  if (!held_) held_.emplace();
  if (live_ && !is_live_named()) live_.reset();
  if (is_live_version()) {
    try {
      return bring_into_live();
    } catch (const BusyError&) {
      throw;
    } catch (const StoreError&) {
      live_.reset();  // cut, or another file meanwhile
      require_replaceable();
    }
  }
  write_version();
  live_.reset();  // which has no name any more
  bring_into_live();
}

// Returns whether the file is live already, by this pull or an earlier one, and of this filter.
bool PulledFile::is_live_version() const {
  if (!is_there()) return false;
  try {
    const FileInfo info = inspect(arguments_.to.file.path);
    return info.is_live_here && info.notes.identity == identity_ && identity_.is_set() &&
           incompatibility(info.contents.parameters, filter_->parameters()).empty();
  } catch (const FormatError&) {
    return false;
  }
}

// Returns whether the path leads to the file that is open, by whatever links.
bool PulledFile::is_live_named() const {
  return live_->is_named() && follow_links(arguments_.to.file.path) == target_;
}

// The file's own bits are of the same filter, and may only be more.
void PulledFile::bring_into_live() {
  if (!live_) {
    target_ = follow_links(arguments_.to.file.path);
    live_.emplace(target_, SharedOptions{.patience = kUntilFree, .moves_notes = true});
  }
  if (live_->notes().identity != identity_) {
    live_.reset();
    throw StoreError(arguments_.to.text() + ": somebody put another filter there meanwhile");
  }
  live_->filter().merge(std::as_const(*filter_).contents());
  live_->advance(reached_, chain());
  filter_.reset();
}

void PulledFile::write_version() {
  SaveOptions options;
  options.notes.identity = identity_;
  options.notes.beat = ++beat_;
  if (reached_) {
    options.notes.source = reached_->source;
    options.notes.watermark = reached_->position;
  }
  options.chain = chain();
  options.over_live = arguments_.in_place;
  options.over = before_ ? &*before_ : nullptr;
  save(contents(), arguments_.to.file.path, options);
}

}  // namespace bloomery::cli
