// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>

#include "bloomery/format/native/file_header.h"
#include "bloomery/store/regular_file.h"

// How processes come together at a live file, and how those who leave it make it whole.
namespace bloomery {

// A live file, open beside others, and its header. Whoever has it open holds its lock.
struct JoinedFile {
  RegularFile file;
  FileHeader header;
};

// Opens the file as one of those who share it; a writer who finds it whole makes it live. Throws
// StoreError, and BusyError where another is in the way for longer than `patience`. `moves_notes`:
// whether a file that is made live can have its notes moved.
JoinedFile join_live(const std::filesystem::path& path, RegularFile::Access access,
                     bool moves_notes, std::chrono::milliseconds patience);

// Throws BusyError where another process moves the notes of the file, or where they cannot move.
void take_notes(const JoinedFile& joined, const std::filesystem::path& path);

// seal_if_alone: makes a live file whole; does nothing where others have it open, and where it is
// whole or gone. seal_if_allowed: the same, and ignores errors, as there may be no right to write
// the file, or no memory. seal_without_notes: the same as the first, for a file without notes that
// move, which nobody has open.
void seal_if_alone(const std::filesystem::path& path);
void seal_if_allowed(const std::filesystem::path& path);
void seal_without_notes(const std::filesystem::path& path);

}  // namespace bloomery
