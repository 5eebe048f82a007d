// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "bloomery/format/native/file_header.h"
#include "bloomery/os/file_mapping.h"
#include "bloomery/store/regular_file.h"

// The steps that those share who change a native file where it is.
namespace bloomery {

// Throws StoreError for a kind that cannot be.
void require_changed_in_place(FilterKind kind, const std::filesystem::path& path);

// Throws StoreError for a file that has fields which its header leaves out.
void require_known_fields(const FileHeader& header, const std::filesystem::path& path);

// Throws FormatError for a body that is not what its checksums say.
void require_whole_body(const RegularFile& file, const FileLayout& layout);

// Every block of the disk is ours before we write through memory, where a full disk would be a
// signal and not an error.
void allocate_all(const RegularFile& file);

// All of the file, in memory. Throws StoreError.
std::shared_ptr<FileMapping> map_whole(const RegularFile& file, FileMapping::Changes changes,
                                       bool survive_truncation);

// Puts a head in the place of one that is as long; not yet on the disk. Where it fits in a page,
// that is written in one step, which kill -9 does not divide.
void write_head(const RegularFile& file, const FileHeader& header);

// The last four bytes of a file: FileLive says what they are in a live one. A live file
// that was cut there may have lost bits; require_uncut() throws StoreError for it.
std::uint32_t live_end(const RegularFile& file, const FileLayout& layout);
bool is_cut(const RegularFile& file, const FileHeader& header);
void require_uncut(const RegularFile& file, const FileHeader& header);

// The number that counts the inserts of a live file (FileLive), and how many those are.
std::uint64_t live_number(const RegularFile& file, const FileLayout& layout);
std::uint64_t inserted_into(const RegularFile& file, const FileHeader& header);

// Writes the checksums of the body as it is, and then a head that says that they hold: with this
// count of inserts, or where it is not known, the estimated number of keys if that is more. On the
// disk when it returns. The caller has the file for itself. Throws StoreError for a file that has
// fields which its header leaves out.
void make_whole(const RegularFile& file, FileHeader header, std::optional<std::uint64_t> inserted);

}  // namespace bloomery
