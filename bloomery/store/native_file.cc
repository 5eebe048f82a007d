// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/native_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/file_version.h"
#include "bloomery/store/in_place.h"
#include "bloomery/store/live_notes.h"
#include "bloomery/store/machine_start.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/replace_file.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

std::optional<WriterLock> save_over(const RegularFile* replaced, const FilterContents& contents,
                                    const std::filesystem::path& target,
                                    const SaveOptions& options) {
  if (options.over != nullptr) options.over->require_there();
  return write_file(contents, options.notes, target, replaced, options.chain);
}

// Returns whether a live file was there, or one that is damaged, and is replaced.
bool save_over_live(const FilterContents& contents, const std::filesystem::path& path,
                    const SaveOptions& options) {
  const auto target = follow_links(path);
  const auto replaced = RegularFile::open_existing(target, RegularFile::Access::read);
  if (!replaced) return false;
  try {
    const FileHeader header = read_header(*replaced);
    if (!header.live || header.live->boot != boot_id()) return false;
  } catch (const FormatError&) {
    // Damaged: those who have it open insert nothing into it that could be lost.
  }
  save_over(&*replaced, contents, target, options);
  return true;
}

}  // namespace

void save(const FilterContents& contents, const std::filesystem::path& path,
          const SaveOptions& options) {
  if (options.over_live && save_over_live(contents, path, options)) return;
  write_or_replace(
      path, options.replace,
      [&](const std::filesystem::path& target, const std::optional<WriterLock>& replaced) {
        return save_over(file_of(replaced), contents, target, options);
      });
}

// Loads the file again if its bytes do not fit because it was changed in place meanwhile: the flag
// that its writer sets, or the count that he left, says so.
LoadedFile load_noted(const std::filesystem::path& path, std::uint64_t most_bytes) {
  const auto file = RegularFile::open(path, RegularFile::Access::read);
  for (int attempt = 1;; ++attempt) {
    const auto header = read_header(file);
    require_closed_cleanly(header, path);
    if (header.layout.body_bytes > most_bytes) {
      throw_store_error(path, "has " + grouped(header.layout.body_bytes) +
                                  " bytes; allowed: " + grouped(most_bytes));
    }
    try {
      return {load_from(file, header), header.notes, header.chain};
    } catch (const FormatError&) {
      const auto now = read_header(file);
      const bool is_changed =
          now.open_for_writing || now.is_live || now.contents.inserted != header.contents.inserted;
      if (!is_changed || attempt == kLockAttempts) throw;
    }
  }
}

AnyFilter load(const std::filesystem::path& path) {
  return load_noted(path, std::numeric_limits<std::uint64_t>::max()).filter;
}

namespace {

FileInfo inspect_with(const RegularFile& file, FileHeader header, bool verify) {
  take_live_notes(header, file);
  FileInfo info;
  info.version = kFileVersion;
  info.contents = header.contents;
  info.notes = header.notes;
  info.is_live = header.is_live;
  if (header.live) info.contents.inserted = inserted_into(file, header);
  info.is_live_here = header.live && header.live->boot == boot_id();
  info.closed_cleanly = !header.open_for_writing && !header.is_live;
  info.file_bytes = header.layout.file_bytes;
  info.body_offset = header.layout.body_offset;
  info.body_bytes = header.layout.body_bytes;
  info.block_count = header.layout.block_count;
  if (verify) {
    const BodyDamage damage = read_body(file, header.layout);
    info.damaged_blocks = damage.block_count;
    info.first_damaged_block = damage.first_block;
  }
  return info;
}

}  // namespace

bool is_native(const std::filesystem::path& path) {
  const auto file = RegularFile::open(path, RegularFile::Access::read);
  std::array<std::uint8_t, kFileMagic.size()> magic{};
  file.read(std::as_writable_bytes(std::span(magic).first(std::min(file.size(), magic.size()))), 0);
  return magic == kFileMagic;
}

// Inspects the file again if its header changed meanwhile: a process that makes a file live, or
// whole again, changes the meaning of its table.
FileInfo inspect(const std::filesystem::path& path, bool verify) {
  const auto file = RegularFile::open(path, RegularFile::Access::read);
  for (int attempt = 1;; ++attempt) {
    const auto header = read_header(file);
    FileInfo info = inspect_with(file, header, verify);
    if (attempt == kLockAttempts || encode_head(read_header(file)) == encode_head(header)) {
      return info;
    }
  }
}

}  // namespace bloomery
