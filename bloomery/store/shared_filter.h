// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/native/file_notes.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

struct LoadedFile;

// Options of a SharedFilter.
struct SharedOptions {
  // Says whether keys may be inserted.
  enum class Access { read_only, read_write };
  using enum Access;

  // read_only asks a file that is live already, and changes it only where it seals it. On overlayfs
  // it needs the right to write it.
  Access access = read_write;
  // The last who closes the file makes it whole, which reads all of it; who has it read-only does,
  // too, where others had it when he opened it, and he may write it. Else it stays live, until
  // somebody seals it, and the next who opens it goes on at once.
  bool seal_at_close = true;
  // How long to wait for who has the file alone: the first to open it checks all of it.
  std::chrono::milliseconds patience{60'000};
  // Handle SIGBUS: see lost_pages.h.
  bool survive_truncation = true;
  // `moves_notes`: this process, and no other at the same time, moves the file's watermark by
  // apply() and advance(). Needs read_write, and a file that is whole or was made live so.
  bool moves_notes = false;
};

// One filter for all processes of a machine: each maps the same file, inserts into it and asks it,
// at once and from any number of threads, and what one has inserted none calls absent. A process
// that is killed, whenever that is, harms nobody.
//
// The first who opens a whole file checks it and marks it as live. While anybody has it open,
// nobody replaces, loads or maps it otherwise. The last who closes it writes its checksums and
// makes it an ordinary file again; where that one was killed, the file stays live, with all that
// was inserted: open it again, or seal() it. Once the machine has started anew, nobody knows what
// of a live file had come to its disk: it is refused until recover() is called, or a new one takes
// its place.
//
// A child of fork() goes on with what its parent opened: both insert, and each closes its own. Any
// calls may run together but for close().
//
// Blocked and classic filters are shared, on file systems of the machine alone. Throws as
// open_mapped does; BusyError where another process has the file alone for longer than `patience`.
class SharedFilter {
 public:
  // Opens the file; read_write makes it live.
  explicit SharedFilter(const std::filesystem::path& path, const SharedOptions& options = {});
  // A filter that was moved from says "maybe" of every key, and has no file.
  SharedFilter(SharedFilter&&) noexcept;
  SharedFilter& operator=(SharedFilter&&) noexcept;
  // Closes; who wants to know whether that failed calls close().
  ~SharedFilter();

  // The filter; not after close(). merge() may run beside all others; clear() refuses.
  const AnyFilter& filter() const { return *filter_; }
  AnyFilter& filter() { return *filter_; }
  const AnyFilter& operator*() const { return *filter_; }
  const AnyFilter* operator->() const { return &*filter_; }

  // Answer for a key, or for each key of a batch: `found` needs room for an answer a key.
  bool may_contain(Key key) const { return filter_->may_contain(key); }
  bool may_contain(IntegerKey auto integer) const { return filter_->may_contain(integer); }
  void may_contain_many(KeyBatch batch, Answers found) const {
    filter_->may_contain_many(batch, found);
  }
  void may_contain_many(KeyRange auto&& keys, Answers found) const {
    filter_->may_contain_many(keys, found);
  }
  // Insert keys and return whether they were new. If processes insert one new key together, more
  // than one of them may get the answer that it was new.
  bool insert(Key key) { return filter_->insert(key); }
  bool insert(IntegerKey auto integer) { return filter_->insert(integer); }
  std::size_t insert_many(KeyBatch batch) { return filter_->insert_many(batch); }
  std::size_t insert_many(KeyBatch batch, Answers was_new) {
    return filter_->insert_many(batch, was_new);
  }
  std::size_t insert_many(KeyRange auto&& keys) { return filter_->insert_many(keys); }
  std::size_t insert_many(KeyRange auto&& keys, Answers was_new) {
    return filter_->insert_many(keys, was_new);
  }
  // The number of keys that all processes inserted. A process that was killed may have inserted up
  // to 256 keys that are not counted.
  std::uint64_t inserted() const { return filter_->inserted(); }

  // The file's notes: identity and watermark. Somebody may move the watermark: keys up to one that
  // was read before a question are in the bits that answer it.
  FileNotes notes() const;
  std::optional<Watermark> reached() const noexcept;

  // apply() sets the bits of keys that came into the filter that this is a copy of, by their pairs,
  // counts the new ones and returns how many they are. advance() then moves the watermark and the
  // place among what came. Both need `moves_notes`; one thread at a time calls them, beside all who
  // ask and insert. Throw StoreError where bits did not come into the file.
  std::uint64_t apply(std::span<const HashPair> hashes);
  void advance(const std::optional<Watermark>& reached, std::string chain);

  // Returns whether the file is damaged, as MappedFilter::is_damaged. Answers are then "maybe", and
  // inserts throw StoreError. False after close().
  bool is_damaged() const noexcept;

  // Returns whether the path still names this very file. A system call.
  bool is_named() const noexcept;

  // All of it in memory, with at least what was inserted before the call.
  AnyFilter copy() const;
  // Copies as copy() does, with what the file said of one moment before that.
  LoadedFile copy_noted() const;

  // Returns when all that was inserted before, by anybody, is on the disk. Throws StoreError where
  // it is not (then close() throws as well, and seals nothing), and where the file has lost its
  // name or another took it.
  void flush();

  // Lets the file go; the last who does makes it whole, as SharedOptions say. Throws StoreError.
  void close();

 private:
  // The open file: it, its header and its pages.
  struct File;

  void require_mover() const;
  void close_quietly() noexcept;
  void require_open() const;

  std::filesystem::path path_;
  SharedOptions options_;
  std::unique_ptr<File> file_;       // null where it was moved from
  std::optional<AnyFilter> filter_;  // until close
};

inline SharedFilter open_shared(const std::filesystem::path& path,
                                const SharedOptions& options = {}) {
  return SharedFilter(path, options);
}

// Makes a live file whole: nothing that was inserted is lost. Does nothing to one that is whole.
// Throws BusyError while anybody has it open; FormatError where the machine, or another one, was
// started since it was live.
void seal(const std::filesystem::path& path);

}  // namespace bloomery
