// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/mapped_filter.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "bloomery/bits/mapped_words.h"
#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/checked_filter.h"
#include "bloomery/store/in_place.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/replacement_file.h"

namespace bloomery {
namespace {

FileMapping::Changes changes_of(const MapOptions& options) noexcept {
  return options.access == MapOptions::read_write ? FileMapping::Changes::go_to_file
                                                  : FileMapping::Changes::stay_here;
}

}  // namespace

MappedFilter::MappedFilter(const std::filesystem::path& path, const MapOptions& options)
    : path_(follow_links(path)) {
  if (options.recover) recover(path_);
  const bool writes = options.access == MapOptions::read_write;
  std::optional<RegularFile> opened;
  if (writes) {
    lock_ = WriterLock::of(path_);
  } else {
    opened = RegularFile::open(path_, RegularFile::Access::read);
  }
  const RegularFile& file = writes ? lock_->file() : *opened;
  HeadBytes head{};
  if (file.size() >= kHeaderBytes) file.read(std::as_writable_bytes(std::span(head)), 0);
  header_ = read_header(file);
  require_closed_cleanly(header_, path_);
  if (writes) {
    require_known_fields(header_, path_);
    require_changed_in_place(header_.contents.parameters.kind, path_);
    allocate_all(file);
  }
  const FileLayout& layout = header_.layout;
  // Mapped before it is read, so that no change in between goes unseen.
  const auto mapping = map_whole(file, changes_of(options), options.survive_truncation);
  const bool checks_all = writes || options.verify;
  body_ = std::make_shared<MappedBody>(mapping, layout, head, writes,
                                       checks_all || !options.verify_when_touched);
  try {
    if (checks_all) require_whole_body(file, layout);
  } catch (const FormatError&) {
    if (body_->is_unchanged()) throw;
    throw_store_error(path_, "was truncated or written over by others while it was opened");
  }
  MappedWords words(mapping, layout.body_offset, layout.body_bytes / sizeof(std::uint64_t));
  auto filter = checked_filter(open_any(header_.contents, std::move(words)), body_, path_, writes);
  if (body_->is_damaged()) {
    throw_store_error(path_, "was truncated or written over by others while it was opened");
  }
  // The mark is on the disk before any change can be.
  if (writes) write_header(true);
  survives_ = options.survive_truncation;
  filter_ = std::move(filter);
}

MappedFilter::MappedFilter(MappedFilter&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, std::nullopt)),
      header_(std::move(other.header_)),
      body_(std::move(other.body_)),
      survives_(other.survives_),
      process_(other.process_),
      filter_(std::move(other.filter_)) {}

MappedFilter& MappedFilter::operator=(MappedFilter&& other) noexcept {
  if (this == &other) return *this;
  close_quietly();
  path_ = std::move(other.path_);
  lock_ = std::exchange(other.lock_, std::nullopt);
  header_ = std::move(other.header_);
  body_ = std::move(other.body_);
  survives_ = other.survives_;
  process_ = other.process_;
  filter_ = std::move(other.filter_);
  return *this;
}

MappedFilter::~MappedFilter() {
  close_quietly();
}

AnyFilter& MappedFilter::writable() {
  if (!lock_) throw_store_error(path_, "is open read-only");
  return *filter_;
}

MappedFilter::operator AnyFilter() && {
  if (lock_) throw_store_error(path_, "is open for writing, and needs who closes it");
  return std::move(*filter_);
}

void MappedFilter::write_header(bool open_for_writing) {
  header_.open_for_writing = open_for_writing;
  const auto head = encode_head(header_);
  lock_->file().write(std::span(head).first(kHeaderBytes), 0);
  lock_->file().sync();
}

void MappedFilter::sync() {
  if (body_->is_damaged()) {
    throw_store_error(path_,
                      "was truncated or written over, or its disk failed, while it was mapped");
  }
  try {
    body_->mapping().sync();
  } catch (const std::system_error& error) {
    throw_store_error(path_, error.what());
  }
}

void MappedFilter::flush() {
  if (!lock_ || !filter_) return;
  if (!is_ours()) {
    throw_store_error(path_, "was opened for writing by the process that this one was forked from");
  }
  header_.contents.inserted = filter_->inserted();
  sync();
  write_header(true);
  require_named();
}

void MappedFilter::require_named() const {
  if (!lock_->file().is_named(path_)) {
    throw_store_error(path_, "was moved, removed or replaced while it was mapped");
  }
}

void MappedFilter::close() {
  if (!filter_) return;
  if (lock_ && is_ours()) {
    header_.contents.inserted = filter_->inserted();
    sync();
    // Through the file, which is the same bytes, and is read ahead where the map is not.
    const BodySummary body = summarize_body(lock_->file(), header_.layout);
    lock_->file().write(std::as_bytes(std::span(body.checksums)), header_.layout.table_offset);
    // Body and table are on the disk before anybody may believe them.
    lock_->file().sync();
    write_header(false);
    require_named();
  }
  filter_.reset();
  body_.reset();
  lock_.reset();
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
