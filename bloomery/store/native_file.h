// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/format/native/file_notes.h"

// A filter in a file of its own: docs/format.md is the specification. Every byte of the file is
// checked, and what is damaged is refused, never half-read. A file is replaced in one step: readers
// see the old one or the new one, and they are never blocked.
//
// Throw StoreError where the system refused (the message names the file, the step and the reason),
// FormatError where the bytes are not a whole filter.
namespace bloomery {

class FileVersion;

// Options of save() to a file.
struct SaveOptions {
  bool replace = true;  // false: a StoreError if the file exists
  FileNotes notes{};    // written with the filter
  std::string chain{};  // FileHeader::chain
  // `over_live`: also in the place of a live file that processes have open (shared_filter.h). They
  // keep what they have, and what they insert into it goes with it.
  bool over_live = false;
  // `over`: a ChangedError where this version is not there any more, which is looked at under the
  // file's lock; null: whatever is there is replaced.
  const FileVersion* over = nullptr;
};

// Returns when the filter is on the disk to stay. On any error the file is what it was. May run
// beside insert_concurrently: keys inserted before the call are in the file. Follows a symbolic
// link and replaces what it names; keeps the permissions of a file it replaces, except that a
// secret filter's file is for its owner alone.
void save(const FilterContents& contents, const std::filesystem::path& path,
          const SaveOptions& options = {});
template <class F>
void save(const F& filter, const std::filesystem::path& path, const SaveOptions& options = {}) {
  save(filter.contents(), path, options);
}

// Reads the whole file into memory of our own, and checks all of it.
AnyFilter load(const std::filesystem::path& path);

// A filter, and what its file says of it, which were read from the file of one moment.
struct LoadedFile {
  AnyFilter filter;   // in memory of our own
  FileNotes notes;    // identity, watermark and note
  std::string chain;  // FileHeader::chain
};
// Loads as load() does. Throws StoreError, too, for a body of more than `most_bytes`.
LoadedFile load_noted(const std::filesystem::path& path, std::uint64_t most_bytes);

// The description of a file: what its header says and, if verified, what damage its body has.
struct FileInfo {
  std::uint32_t version = 0;   // of the format
  FilterContents contents;     // but no words
  FileNotes notes;             // identity, watermark and note
  bool closed_cleanly = true;  // false: a writer has it mapped, or died while it had
  // Processes of a machine share it, or died while they did (shared_filter.h); or its bytes lived
  // in a server. Then nor was it closed.
  bool is_live = false;
  // `is_live_here`: a live file is one of this machine, which was not started since. False for a
  // file whose bytes lived in a server.
  bool is_live_here = false;

  std::uint64_t file_bytes = 0;   // of the file
  std::uint64_t body_offset = 0;  // where the words begin
  std::uint64_t body_bytes = 0;   // of the words
  std::uint64_t block_count = 0;  // of the body, each with a checksum

  // `damaged_blocks`, `first_damaged_block`: set only if the blocks were verified.
  std::optional<std::uint64_t> damaged_blocks;
  std::optional<std::uint64_t> first_damaged_block;
};

// Reads the header, and with `verify` checks the body too. A damaged header is a FormatError; a
// damaged body, or one that was not closed cleanly, is an answer.
FileInfo inspect(const std::filesystem::path& path, bool verify = false);

// Returns whether the file begins as a file of ours does, whole or damaged.
bool is_native(const std::filesystem::path& path);

}  // namespace bloomery
