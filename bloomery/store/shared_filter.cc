// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/shared_filter.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "bloomery/bits/mapped_words.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/os/file_lock.h"
#include "bloomery/os/file_mapping.h"
#include "bloomery/place/apply_hashes.h"
#include "bloomery/place/call_context.h"
#include "bloomery/store/in_place.h"
#include "bloomery/store/live_filter.h"
#include "bloomery/store/live_notes.h"
#include "bloomery/store/local_file.h"
#include "bloomery/store/machine_start.h"
#include "bloomery/store/mapped_body.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/regular_file.h"
#include "bloomery/store/replacement_file.h"
#include "bloomery/store/writer_lock.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{2};
// A child has what its parent has open between fork() and exec().
constexpr std::chrono::milliseconds kUntilExec{10};

// Returns whether all bits of the file are there, and anybody may have it open now.
bool is_joined(const FileHeader& header, const Identity& boot) noexcept {
  return header.is_live && !header.open_for_writing && header.live && header.live->boot == boot;
}

// The place among what came may be left out: it begins anew behind the fields.
void make_room(FileHeader& header, const std::filesystem::path& path) {
  const std::uint64_t room = header.live->has_notes ? kLiveNotesAt : kBodyAlignment;
  if (header.layout.body_offset == kBodyAlignment) {
    if (head_end(header) > room) header.chain.clear();
    if (head_end(header) <= room) return;
  }
  throw_store_error(path, "its fields leave no room in the first " + grouped(room) +
                              " bytes for what a live file says: give it a shorter note");
}

// Gives the file last bytes in which a cut shows. A process that is killed within leaves a file
// whose table says nothing, and to which this is done again.
void give_live_end(const RegularFile& file, FileHeader header) {
  header.open_for_writing = true;
  write_head(file, header);
  file.sync();
  file.write(std::as_bytes(std::span(&kNewLiveEnd, 1)),
             header.layout.file_bytes - sizeof kNewLiveEnd);
}

// Called while nobody else has the file open. Whatever ends this process leaves it whole, or live
// and all there.
void make_live(const WriterLock& lock, const Identity& boot, bool moves_notes,
               const std::filesystem::path& path) {
  const RegularFile& file = lock.file();
  require_local(file);
  FileHeader header = read_header(file);
  if (header.is_live) {
    require_of_this_boot(header, boot, path);
    if (!header.open_for_writing) return;
    require_known_fields(header, path);
    allocate_all(file);
  } else {
    require_closed_cleanly(header, path);
    require_known_fields(header, path);
    require_changed_in_place(header.contents.parameters.kind, path);
    allocate_all(file);
    // The file will be signed again.
    require_whole_body(file, header.layout);
  }
  header.is_live = true;
  header.live = {boot, 0, moves_notes};
  make_room(header, path);
  if (!may_be_live_end(live_end(file, header.layout))) give_live_end(file, header);
  header.open_for_writing = false;
  header.live->count_base = live_number(file, header.layout);
  write_head(file, header);
  file.sync();
}

struct Joined {
  RegularFile file;
  FileHeader header;
};

// Opens the file as its writers do, though it is only read.
std::optional<RegularFile> open_the_writers(const std::filesystem::path& path) {
  try {
    return open_beside_others(path, RegularFile::Access::read_write);
  } catch (const StoreError& error) {
    throw_store_error(path,
                      std::string("is on overlayfs, where a writer may copy it, and who reads "
                                  "it is to have that copy, for which it must be opened for "
                                  "writing: put it on a volume (") +
                          error.what() + ")");
  }
}

std::optional<Joined> try_join(const std::filesystem::path& path, const Identity& boot,
                               RegularFile::Access access) {
  auto file = open_beside_others(path, access);
  if (!file) return std::nullopt;
  FileHeader header = read_header(*file);
  if (is_joined(header, boot)) {
    // A mount of FUSE or NFS, by which another process may have the file, leads to other memory.
    require_local(*file);
    require_uncut(*file, header);
    if (access == RegularFile::Access::read && is_copied_by_writers(*file)) {
      file = open_the_writers(path);
      if (!file || encode_head(read_header(*file)) != encode_head(header)) return std::nullopt;
    }
    return Joined{std::move(*file), std::move(header)};
  }
  if (access == RegularFile::Access::read_write) return std::nullopt;
  if (header.is_live) {
    require_of_this_boot(header, boot, path);
    throw_store_error(path,
                      "who made it whole was killed meanwhile: seal() or bloomery seal does that, "
                      "and opening it read-write goes on with it");
  }
  throw_store_error(path, "is not live, and cannot be shared read-only: open_mapped reads it");
}

// A writer in place has the file for as long as he likes.
bool has_a_writer(const std::filesystem::path& path) {
  try {
    const auto header = read_header(RegularFile::open(path, RegularFile::Access::read));
    return header.open_for_writing && !header.is_live;
  } catch (const FormatError&) {
    return false;  // its head is being written
  }
}

Joined join(const std::filesystem::path& path, const SharedOptions& options) {
  const Identity boot = boot_id();
  const bool writes = options.access == SharedOptions::read_write;
  const auto access = writes ? RegularFile::Access::read_write : RegularFile::Access::read;
  const auto end = CallContext::within(options.patience).deadline;
  for (;;) {
    if (auto joined = try_join(path, boot, access)) return std::move(*joined);
    try {
      if (!writes) throw_busy(path);
      make_live(WriterLock::of(path), boot, options.moves_notes, path);
      continue;
    } catch (const BusyError&) {
      // Somebody joins it, makes it live or seals it; or keeps it.
      if (Clock::now() >= end || has_a_writer(path)) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

// Does nothing where others have the file open, and where it is whole or gone.
void seal_if_alone(const std::filesystem::path& path) {
  const auto end = Clock::now() + kUntilExec;
  for (;;) {
    try {
      const auto lock = WriterLock::of_existing(path);
      if (!lock) return;
      const auto header = read_header(lock->file());
      if (!header.is_live) return;
      require_of_this_boot(header, boot_id(), path);
      require_uncut(lock->file(), header);
      return make_whole(lock->file(), header, inserted_into(lock->file(), header));
    } catch (const BusyError&) {
      if (Clock::now() >= end) return;
    }
    std::this_thread::sleep_for(kPause);
  }
}

// Seals as seal_if_alone() does, and ignores errors: there may be no right to write the file, or no
// memory.
void seal_if_allowed(const std::filesystem::path& path) {
  try {
    seal_if_alone(path);
  } catch (const std::exception&) {
    // The file stays live.
  }
}

// Makes a live file whole that has no notes that move, if those who had it left it so.
void seal_without_notes(const std::filesystem::path& path) {
  const FileHeader header = read_header(RegularFile::open(path, RegularFile::Access::read));
  if (header.live && !header.live->has_notes && !is_held(path)) seal_if_alone(path);
}

// Throws where another process moves the notes of the file, or where they cannot move.
void take_notes(const Joined& joined, const std::filesystem::path& path) {
  if (!joined.header.live->has_notes) {
    throw BusyError(path.string() +
                    ": is live already, by processes that insert into it, and its watermark cannot "
                    "be moved: once they have closed it, it can");
  }
  if (os::try_lock_byte(joined.file.descriptor(), kLiveNotesAt)) return;
  throw BusyError(path.string() + ": another process keeps it in step");
}

}  // namespace

struct SharedFilter::File {
  std::optional<RegularFile> file{};  // which holds the lock
  FileHeader header{};
  std::shared_ptr<MappedBody> body{};
  std::atomic<bool> lost_changes{false};  // flush() failed
  // `bits`, `count`: those of who moves the notes. Pairs come in by the filter over the mapped
  // words.
  std::optional<AnyFilter> bits{};
  std::optional<LiveCount> count{};
  std::uint64_t sequence = 0;  // of the notes that it left

  std::byte* notes_at() const noexcept { return body->mapping().bytes().data() + kLiveNotesAt; }
  bool has_moving_notes() const noexcept {
    return body != nullptr && header.live && header.live->has_notes;
  }
  FileHeader header_now() const {
    FileHeader now = header;
    if (has_moving_notes()) take_live_notes(now, live_notes(notes_at()));
    return now;
  }
};

SharedFilter::SharedFilter(const std::filesystem::path& path, const SharedOptions& options)
    : path_(follow_links(path)), options_(options), file_(std::make_unique<File>()) {
  const bool writes = options.access == SharedOptions::read_write;
  if (options.moves_notes && !writes) {
    throw std::invalid_argument(path.string() + ": moves_notes needs read_write");
  }
  // One whom nobody killed will close it, and leave the sealing to who reads it still. Of one that
  // was left alone it is for others to say.
  if (!writes && !is_held(path_)) options_.seal_at_close = false;
  if (options.moves_notes) seal_without_notes(path_);
  Joined joined = join(path_, options);
  if (options.moves_notes) take_notes(joined, path_);
  file_->header = std::move(joined.header);
  file_->file.emplace(std::move(joined.file));
  HeadBytes head{};
  std::shared_ptr<FileMapping> mapping;
  try {
    file_->file->read(std::as_writable_bytes(std::span(head)), 0);
    mapping = map_whole(
        *file_->file,
        writes ? FileMapping::Changes::go_to_file_of_all : FileMapping::Changes::stay_here,
        options.survive_truncation);
  } catch (const std::exception&) {
    // The file may be live by this call alone.
    file_->file.reset();
    if (writes && options_.seal_at_close) seal_if_allowed(path_);
    throw;
  }
  const FileLayout& layout = file_->header.layout;
  file_->body = std::make_shared<MappedBody>(mapping, layout, head);
  const auto over_body = [&] {
    return open_any(file_->header.contents, MappedWords(mapping, layout.body_offset,
                                                        layout.body_bytes / sizeof(std::uint64_t)));
  };
  AnyFilter filter = over_body();
  if (file_->body->is_damaged()) {
    throw_store_error(path_, "was truncated or written over by others while it was opened");
  }
  // The header goes to the disk before any change can be there: the process that made the file live
  // may have been killed before it was.
  try {
    if (writes) mapping->sync(layout.body_offset);
  } catch (const std::system_error& error) {
    throw_store_error(path_, error.what());
  }
  const LiveCount count(file_->body, file_->header);
  if (options.moves_notes) {
    file_->bits.emplace(over_body());
    file_->count.emplace(count);
    file_->sequence = live_sequence(file_->notes_at());
  }
  filter_.emplace(LiveFilter(std::move(filter), file_->body, count, path_, writes));
}

SharedFilter::SharedFilter(SharedFilter&& other) noexcept
    : path_(std::move(other.path_)),
      options_(other.options_),
      file_(std::move(other.file_)),
      filter_(std::move(other.filter_)) {}

SharedFilter& SharedFilter::operator=(SharedFilter&& other) noexcept {
  if (this == &other) return *this;
  close_quietly();
  path_ = std::move(other.path_);
  options_ = other.options_;
  file_ = std::move(other.file_);
  filter_ = std::move(other.filter_);
  return *this;
}

SharedFilter::~SharedFilter() {
  close_quietly();
}

FileNotes SharedFilter::notes() const {
  return file_ != nullptr ? file_->header_now().notes : FileNotes();
}

std::optional<Watermark> SharedFilter::reached() const noexcept {
  if (file_ == nullptr) return std::nullopt;
  if (file_->has_moving_notes()) {
    if (const auto moved = live_watermark(file_->notes_at())) return moved;
  }
  return file_->header.notes.reached();
}

std::uint64_t SharedFilter::apply(std::span<const HashPair> hashes) {
  require_mover();
  const std::uint64_t added = apply_hashes(*file_->bits, hashes);
  file_->count->add(added);
  require_mover();
  return added;
}

void SharedFilter::advance(const std::optional<Watermark>& reached, std::string chain) {
  require_mover();
  write_live_notes(
      file_->notes_at(),
      {.reached = reached, .beat = file_->header_now().notes.beat + 1, .chain = std::move(chain)});
  file_->sequence = live_sequence(file_->notes_at());
}

// Throws unless this process moves the notes, and what it has set is in the file.
void SharedFilter::require_mover() const {
  require_open();
  if (file_ == nullptr || !file_->bits) {
    throw_store_error(path_, "was not opened to move its watermark");
  }
  if (!file_->body->keeps_bits() || live_sequence(file_->notes_at()) != file_->sequence) {
    throw_store_error(path_,
                      "was truncated or written over, or its disk failed, while it was open");
  }
}

bool SharedFilter::is_damaged() const noexcept {
  return file_ != nullptr && file_->body != nullptr && file_->body->is_damaged();
}

bool SharedFilter::is_named() const noexcept {
  return file_ != nullptr && file_->file && file_->file->is_named(path_);
}

void SharedFilter::require_open() const {
  if (!filter_) throw_store_error(path_, "was closed");
}

AnyFilter SharedFilter::copy() const {
  require_open();
  AnyFilter copied = copy_any(filter_->contents());
  if (is_damaged()) {
    throw_store_error(path_, "was truncated or written over by others while it was open");
  }
  return copied;
}

LoadedFile SharedFilter::copy_noted() const {
  if (file_ == nullptr) throw_store_error(path_, "was moved to another object");
  FileHeader now = file_->header_now();
  return {copy(), std::move(now.notes), std::move(now.chain)};
}

void SharedFilter::flush() {
  require_open();
  if (file_ == nullptr) throw_store_error(path_, "was moved to another object");
  if (is_damaged()) {
    throw_store_error(path_,
                      "was truncated or written over, or its disk failed, while it was open");
  }
  if (!file_->file->is_named(path_)) {
    throw_store_error(path_, "was moved, removed or replaced while it was open");
  }
  try {
    if (options_.access == SharedOptions::read_only) return file_->file->sync();
    file_->body->mapping().sync();
  } catch (const std::system_error& error) {
    file_->lost_changes = true;  // the system says it once
    throw_store_error(path_, error.what());
  }
}

void SharedFilter::close() {
  if (!filter_ || file_ == nullptr) return;
  const bool damaged = is_damaged();
  const bool named = file_->file->is_named(path_);
  filter_.reset();
  file_->bits.reset();
  file_->count.reset();
  file_->body.reset();
  // The lock with it, unless a child of fork() still has it.
  file_->file.reset();
  if (options_.access == SharedOptions::read_only) {
    // Writers that closed before could not.
    if (options_.seal_at_close && !damaged && named) seal_if_allowed(path_);
    return;
  }
  if (damaged) {
    throw_store_error(path_,
                      "was truncated or written over, or its disk failed, while it was open");
  }
  if (!named) throw_store_error(path_, "was moved, removed or replaced while it was open");
  if (file_->lost_changes) {
    throw_store_error(path_, "flush() failed: what its disk has is not known, and it stays live");
  }
  if (options_.seal_at_close) seal_if_alone(path_);
}

void SharedFilter::close_quietly() noexcept {
  try {
    close();
  } catch (const std::exception&) {
    // The file stays live, which is true.
  }
}

void seal(const std::filesystem::path& path) {
  const auto target = follow_links(path);
  const auto lock = WriterLock::of(target);
  const auto header = read_header(lock.file());
  if (!header.is_live) return require_closed_cleanly(header, path);
  require_of_this_boot(header, boot_id(), path);
  // The lock of this file may not be that of processes which have it open otherwise.
  require_local(lock.file());
  require_uncut(lock.file(), header);
  make_whole(lock.file(), header, inserted_into(lock.file(), header));
}

}  // namespace bloomery
