// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/shared_filter.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "bloomery/bits/mapped_words.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/os/file_mapping.h"
#include "bloomery/place/apply_hashes.h"
#include "bloomery/store/in_place.h"
#include "bloomery/store/joined_file.h"
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

namespace bloomery {

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
  const auto access = writes ? RegularFile::Access::read_write : RegularFile::Access::read;
  JoinedFile joined = join_live(path_, access, options.moves_notes, options.patience);
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
