// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/format/native/file_notes.h"
#include "bloomery/store/regular_file.h"
#include "bloomery/store/writer_lock.h"

// The steps that loading, mapping and editing share.
namespace bloomery {

// The first bytes of a file, at most so many.
std::vector<std::byte> read_head(const RegularFile& file, std::uint64_t most);

// Throws FormatError, naming the file, for anything wrong before or around the body.
FileHeader read_header(const RegularFile& file);

// Throws FormatError for a live file of a server, or of another start of the machine than `boot`.
void require_of_this_boot(const FileHeader& header, const Identity& boot,
                          const std::filesystem::path& path);

// Throws FormatError where a writer has the file mapped, or died while it had.
void require_closed_cleanly(const FileHeader& header, const std::filesystem::path& path);

// The filter of an open file, all of it checked.
AnyFilter load_from(const RegularFile& file, const FileHeader& header);

// Puts a new file in the place of `target`, which is `replaced`, or null where it did not exist.
// Returns the new file's lock. Nothing: somebody created the target meanwhile.
std::optional<WriterLock> write_file(const FilterContents& contents, const FileNotes& notes,
                                     const std::filesystem::path& target,
                                     const RegularFile* replaced, const std::string& chain = {});

}  // namespace bloomery
