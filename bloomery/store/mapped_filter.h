// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/native/file_notes.h"

namespace bloomery {

// Options of open_mapped().
struct MapOptions {
  // Says whether keys may be inserted.
  enum class Access { read_only, read_write };
  using enum Access;

  Access access = read_only;  // read_write: keys may be inserted
  // Read the body and check it before the first answer; read_write always does, or it would sign
  // damage as its own.
  bool verify = false;
  // `verify_when_touched`: without `verify`, check each block of 64 KiB the first time that an
  // "absent" rests on it. The keys of a damaged block are "maybe", and all others are answered as
  // ever. Off, damage says "absent".
  bool verify_when_touched = true;
  // Make a file whole that its writer did not close (see recover).
  bool recover = false;
  // Handle SIGBUS: see lost_pages.h. Without, a file truncated by others ends the process.
  bool survive_truncation = true;
};

// A filter whose words are a file's pages: open at once whatever its size, shared by all processes
// that map it, and read as it is asked, a page at a time. Verifying brings it all into the system's
// cache, and is the quick way to warm it up.
//
// Read-only: the file never changes. Read-write: changes go to the file by themselves; the file is
// locked against other writers, and marked so that nobody takes it for whole, from opening to
// close(). After a crash between the two it is refused until recover() is called, and then has all
// that was inserted before the last flush(), and perhaps more.
//
// Nothing damaged ever says "absent": blocks are checked, and once somebody truncates the file or
// writes another's bytes over it, every answer is "maybe", and an insert throws StoreError, as it
// does once the disk refused a page that a writer changes. All answers are "maybe", too, for
// readers from the moment that a writer maps the file read-write. What takes over all of a
// filter that was opened read-only (contents(), save(), merge) checks all of it first, an insert
// into one's own copy what its keys touch; both throw FormatError where that is damaged.
// docs/soundness_cases.md says what cannot be seen.
//
// A child of fork() may ask what its parent opened, but not write: it throws StoreError, and its
// close() does nothing.
//
// Questions may run together, as in AnyFilter; a thread that asks must not block SIGBUS. Throws as
// load does.
class MappedFilter {
 public:
  // Opens as open_mapped() does.
  MappedFilter(const std::filesystem::path& path, const MapOptions& options);
  // A filter that was moved from says "maybe" of every key, and has no file.
  MappedFilter(MappedFilter&& other) noexcept;
  MappedFilter& operator=(MappedFilter&& other) noexcept;
  // Closes; who wants to know whether that failed calls close().
  ~MappedFilter();

  // The filter; none of these after close(). writable() throws StoreError where the file was opened
  // read-only.
  const AnyFilter& filter() const { return *filter_; }
  const AnyFilter& operator*() const { return *filter_; }
  const AnyFilter* operator->() const { return &*filter_; }
  AnyFilter& writable();
  // Calls AnyFilter::take_keys_as_said(), also where the file is open read-only.
  void take_keys_as_said() noexcept { filter_->take_keys_as_said(); }

  // Answer for a key, or for each key of a batch: `found` needs room for an answer a key.
  bool may_contain(Key key) const { return filter_->may_contain(key); }
  bool may_contain(IntegerKey auto integer) const { return filter_->may_contain(integer); }
  void may_contain_many(KeyBatch batch, Answers found) const {
    filter_->may_contain_many(batch, found);
  }
  void may_contain_many(KeyRange auto&& keys, Answers found) const {
    filter_->may_contain_many(keys, found);
  }
  // Insert a key or a batch, and return how many keys were new. Throw StoreError if the file is
  // open read-only. Each runs alone, beside no question.
  bool insert(Key key) { return writable().insert(key); }
  bool insert(IntegerKey auto integer) { return writable().insert(integer); }
  std::size_t insert_many(KeyBatch batch) { return writable().insert_many(batch); }
  std::size_t insert_many(KeyBatch batch, Answers was_new) {
    return writable().insert_many(batch, was_new);
  }
  std::size_t insert_many(KeyRange auto&& keys) { return writable().insert_many(keys); }
  std::size_t insert_many(KeyRange auto&& keys, Answers was_new) {
    return writable().insert_many(keys, was_new);
  }

  // A filter that is read-only may be taken for itself; what is inserted then stays in this
  // process. StoreError for one that is read-write.
  operator AnyFilter() &&;

  // The file's notes: identity and watermark.
  const FileNotes& notes() const noexcept;

  // True once somebody truncated the file or wrote over it, its disk failed, or a block was found
  // that is not what its checksum says. Answers are then "maybe" for what was lost, and the file
  // should be opened again, or built again. Costs a system call. False after close().
  bool is_damaged() const noexcept;

  // Returns whether truncation still ends in "maybe": false without MapOptions::survive_truncation,
  // and once this process set a handler of its own for SIGBUS after the first file was mapped. Such
  // a handler must pass on to the one it found. Costs a system call.
  bool survives_truncation() const noexcept;

  // Returns when all that was inserted is on the disk. May run beside insert_concurrently. Throws
  // StoreError also where the file has lost its name or another took it.
  void flush();

  // Flushes, writes the checksums of all blocks (which reads them all), and marks the file whole.
  // On a StoreError it stays marked as not closed.
  void close();

 private:
  // The open file: its lock, its header and its pages.
  struct File;

  bool is_writable() const noexcept;
  void write_header(bool open_for_writing);
  void sync();
  void require_named() const;
  void close_quietly() noexcept;

  std::filesystem::path path_;
  std::unique_ptr<File> file_;       // null where it was moved from
  std::optional<AnyFilter> filter_;  // until close
};

inline MappedFilter open_mapped(const std::filesystem::path& path, const MapOptions& options = {}) {
  return {path, options};
}

// Makes a file whole that its writer did not close: computes its checksums from the bits as they
// are, and takes the estimated number of keys as the inserted count. Bits are only ever set, so
// what is lost is at most what was inserted since the last flush; but damage by other causes is not
// found. Does nothing to a file that was closed. Throws StoreError while the writer lives.
void recover(const std::filesystem::path& path);

}  // namespace bloomery
