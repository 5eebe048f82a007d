// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/mapped_filter.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <span>
#include <system_error>
#include <utility>

#include "bloomery/bits/mapped_words.h"
#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/os/file_mapping.h"
#include "bloomery/os/lost_pages.h"
#include "bloomery/os/own_process.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/checked_filter.h"
#include "bloomery/store/in_place.h"
#include "bloomery/store/mapped_body.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/regular_file.h"
#include "bloomery/store/replacement_file.h"
#include "bloomery/store/writer_lock.h"

namespace bloomery {
namespace {

FileMapping::Changes changes_of(const MapOptions& options) noexcept {
  return options.access == MapOptions::read_write ? FileMapping::Changes::go_to_file
                                                  : FileMapping::Changes::stay_here;
}

}  // namespace

struct MappedFilter::File {
  bool is_ours() const noexcept { return process == process_number(); }

  std::optional<WriterLock> lock{};  // read-write only
  FileHeader header{};
  std::shared_ptr<MappedBody> body{};
  bool survives = false;
  const std::uint64_t process = process_number();  // of the process that opened it
};

MappedFilter::MappedFilter(const std::filesystem::path& path, const MapOptions& options)
    : path_(follow_links(path)), file_(std::make_unique<File>()) {
  if (options.recover) recover(path_);
  const bool writes = options.access == MapOptions::read_write;
  std::optional<RegularFile> opened;
  if (writes) {
    file_->lock = WriterLock::of(path_);
  } else {
    opened = RegularFile::open(path_, RegularFile::Access::read);
  }
  const RegularFile& file = writes ? file_->lock->file() : *opened;
  HeadBytes head{};
  if (file.size() >= kHeaderBytes) file.read(std::as_writable_bytes(std::span(head)), 0);
  file_->header = read_header(file);
  require_closed_cleanly(file_->header, path_);
  if (writes) {
    require_known_fields(file_->header, path_);
    require_changed_in_place(file_->header.contents.parameters.kind, path_);
    allocate_all(file);
  }
  const FileLayout& layout = file_->header.layout;
  // Mapped before it is read, so that no change in between goes unseen.
  const auto mapping = map_whole(file, changes_of(options), options.survive_truncation);
  const bool checks_all = writes || options.verify;
  file_->body = std::make_shared<MappedBody>(mapping, layout, head, writes,
                                             checks_all || !options.verify_when_touched);
  try {
    if (checks_all) require_whole_body(file, layout);
  } catch (const FormatError&) {
    if (file_->body->is_unchanged()) throw;
    throw_store_error(path_, "was truncated or written over by others while it was opened");
  }
  MappedWords words(mapping, layout.body_offset, layout.body_bytes / sizeof(std::uint64_t));
  auto filter = checked_filter(open_any(file_->header.contents, std::move(words)), file_->body,
                               path_, writes);
  if (file_->body->is_damaged()) {
    throw_store_error(path_, "was truncated or written over by others while it was opened");
  }
  // The mark is on the disk before any change can be.
  if (writes) write_header(true);
  file_->survives = options.survive_truncation;
  filter_ = std::move(filter);
}

MappedFilter::MappedFilter(MappedFilter&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      filter_(std::move(other.filter_)) {}

MappedFilter& MappedFilter::operator=(MappedFilter&& other) noexcept {
  if (this == &other) return *this;
  close_quietly();
  path_ = std::move(other.path_);
  file_ = std::move(other.file_);
  filter_ = std::move(other.filter_);
  return *this;
}

MappedFilter::~MappedFilter() {
  close_quietly();
}

bool MappedFilter::is_writable() const noexcept {
  return file_ != nullptr && file_->lock.has_value();
}

AnyFilter& MappedFilter::writable() {
  if (!is_writable()) throw_store_error(path_, "is open read-only");
  return *filter_;
}

MappedFilter::operator AnyFilter() && {
  if (is_writable()) throw_store_error(path_, "is open for writing, and needs who closes it");
  return std::move(*filter_);
}

const FileNotes& MappedFilter::notes() const noexcept {
  static const FileNotes kNone{};
  return file_ != nullptr ? file_->header.notes : kNone;
}

bool MappedFilter::is_damaged() const noexcept {
  return file_ != nullptr && file_->body != nullptr && file_->body->is_damaged();
}

bool MappedFilter::survives_truncation() const noexcept {
  return file_ != nullptr && file_->survives && LostPages::is_handled();
}

void MappedFilter::write_header(bool open_for_writing) {
  file_->header.open_for_writing = open_for_writing;
  const auto head = encode_head(file_->header);
  file_->lock->file().write(std::span(head).first(kHeaderBytes), 0);
  file_->lock->file().sync();
}

void MappedFilter::sync() {
  if (file_->body->is_damaged()) {
    throw_store_error(path_,
                      "was truncated or written over, or its disk failed, while it was mapped");
  }
  try {
    file_->body->mapping().sync();
  } catch (const std::system_error& error) {
    throw_store_error(path_, error.what());
  }
}

void MappedFilter::flush() {
  if (!is_writable() || !filter_) return;
  if (!file_->is_ours()) {
    throw_store_error(path_, "was opened for writing by the process that this one was forked from");
  }
  file_->header.contents.inserted = filter_->inserted();
  sync();
  write_header(true);
  require_named();
}

void MappedFilter::require_named() const {
  if (!file_->lock->file().is_named(path_)) {
    throw_store_error(path_, "was moved, removed or replaced while it was mapped");
  }
}

void MappedFilter::close() {
  if (!filter_) return;
  if (is_writable() && file_->is_ours()) {
    file_->header.contents.inserted = filter_->inserted();
    sync();
    // Through the file, which is the same bytes, and is read ahead where the map is not.
    const BodySummary body = summarize_body(file_->lock->file(), file_->header.layout);
    file_->lock->file().write(std::as_bytes(std::span(body.checksums)),
                              file_->header.layout.table_offset);
    // Body and table are on the disk before anybody may believe them.
    file_->lock->file().sync();
    write_header(false);
    require_named();
  }
  filter_.reset();
  if (file_ == nullptr) return;
  file_->body.reset();
  file_->lock.reset();
}

void MappedFilter::close_quietly() noexcept {
  try {
    close();
  } catch (const std::exception&) {
    // The file stays marked as not closed, which is true.
  }
}

void recover(const std::filesystem::path& path) {
  const auto target = follow_links(path);
  const auto lock = WriterLock::of(target);
  const auto header = read_header(lock.file());
  if (!header.open_for_writing && !header.is_live) return;
  make_whole(lock.file(), header, std::nullopt);
}

}  // namespace bloomery
