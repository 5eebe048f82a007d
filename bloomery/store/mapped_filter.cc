#include "bloomery/store/mapped_filter.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>
#include <utility>

#include "bloomery/bits/mapped_words.h"
#include "bloomery/errors.h"
#include "bloomery/filter/rates.h"
#include "bloomery/format/kinds.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/checked_filter.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/replacement_file.h"

namespace bloomery {
namespace {

// Every block of the disk is ours before we write through memory, where a full disk would be a
// signal and not an error.
void allocate_all(const RegularFile& file) {
  int error_number = 0;
  do {
    error_number = posix_fallocate(file.descriptor(), 0, static_cast<off_t>(file.size()));
  } while (error_number == EINTR);
  if (error_number != 0) throw_store_error(file.path(), "reserve its space", error_number);
}

std::shared_ptr<FileMapping> map(const RegularFile& file, const MapOptions& options) {
  const auto changes = options.access == MapOptions::read_write ? FileMapping::Changes::go_to_file
                                                                : FileMapping::Changes::stay_here;
  try {
    return std::make_shared<FileMapping>(file.descriptor(), file.size(), changes,
                                         options.survive_truncation);
  } catch (const std::system_error& error) {
    throw_store_error(file.path(), error.what());
  }
}

void require_whole_body(const RegularFile& file, const FileLayout& layout) {
  const BodyDamage damage = read_body(file, layout);
  if (damage.first_block) throw_format_error(file.path(), describe(damage, layout));
}

// What a crash leaves of the pages of a file that was being changed is right only where changes set
// bits and never clear any.
void require_bits_only(FilterKind kind, const std::filesystem::path& path) {
  if (is_changed_in_place(kind)) return;
  throw_store_error(path, "is a " + std::string(kind_of(kind).name) +
                              " filter, which is not changed in place: load it and save it");
}

void require_known_fields(const FileHeader& header, const std::filesystem::path& path) {
  if (!has_skipped_fields(header)) return;
  throw_store_error(path,
                    "has fields of a later program, which changing it in place would lose: read "
                    "it, or use that program");
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
    require_bits_only(header_.contents.parameters.kind, path_);
    allocate_all(file);
  }
  const FileLayout& layout = header_.layout;
  // Mapped before it is read, so that no change in between goes unseen.
  const auto mapping = map(file, options);
  const bool checks_all = writes || options.verify;
  body_ = std::make_shared<MappedBody>(mapping, layout, head, writes,
                                       checks_all || !options.verify_when_touched);
  if (checks_all) require_whole_body(file, layout);
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
      filter_(std::exchange(other.filter_, std::nullopt)) {}

MappedFilter& MappedFilter::operator=(MappedFilter&& other) noexcept {
  if (this == &other) return *this;
  close_quietly();
  path_ = std::move(other.path_);
  lock_ = std::exchange(other.lock_, std::nullopt);
  header_ = std::move(other.header_);
  body_ = std::move(other.body_);
  survives_ = other.survives_;
  process_ = other.process_;
  filter_ = std::exchange(other.filter_, std::nullopt);
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
  return std::move(*std::exchange(filter_, std::nullopt));
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
    if (!lock_->file().is_named(path_)) {
      throw_store_error(path_, "was moved, removed or replaced while it was mapped");
    }
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
  const RegularFile& file = lock.file();
  auto header = read_header(file);
  if (!header.open_for_writing && !header.is_live) return;
  require_known_fields(header, target);
  const BodySummary body = summarize_body(file, header.layout);
  file.write(std::as_bytes(std::span(body.checksums)), header.layout.table_offset);
  file.sync();
  FilterContents& contents = header.contents;
  const double estimate = estimate_cardinality(contents.parameters.geometry, body.ones);
  contents.inserted =
      std::max(contents.inserted, static_cast<std::uint64_t>(std::llround(estimate)));
  header.open_for_writing = false;
  header.is_live = false;
  const auto head = encode_head(header);
  file.write(std::span(head).first(kHeaderBytes), 0);
  file.sync();
}

}  // namespace bloomery
