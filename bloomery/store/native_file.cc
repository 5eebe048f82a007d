// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/native_file.h"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/boot_id.h"
#include "bloomery/store/in_place.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/replace_file.h"

namespace bloomery {
FileHeader read_header(const RegularFile& file) {
  std::vector<std::byte> head(std::min(file.size(), kMaxHeadBytes));
  file.read(head, 0);
  try {
    return decode_head(head, file.size());
  } catch (const FormatError& error) {
    throw_format_error(file.path(), error.what());
  }
}

void require_of_this_boot(const FileHeader& header, const Identity& boot,
                          const std::filesystem::path& path) {
  if (!header.live) throw_format_error(path, kLiveBody);
  if (header.live->boot == boot) return;
  throw_format_error(path,
                     "was live when this machine went down, or on another one: keys inserted since "
                     "its last flush may be missing. Build it anew; or, where they are inserted "
                     "again, recover() or bloomery seal --recover make it whole as it is");
}

void require_closed_cleanly(const FileHeader& header, const std::filesystem::path& path) {
  if (header.is_live) {
    if (header.live) require_of_this_boot(header, boot_id(), path);
    throw_format_error(path, why_not_whole(header));
  }
  if (!header.open_for_writing) return;
  throw_format_error(path,
                     "not closed cleanly: a writer has it open, or died while it had; if it died, "
                     "recover(), open_mapped with .recover = true or bloomery insert --in-place "
                     "--recover makes the file whole");
}

AnyFilter load_from(const RegularFile& file, const FileHeader& header) {
  try {
    HeapWords words(header.layout.body_bytes / sizeof(std::uint64_t));
    const BodyDamage damage = read_body(file, header.layout, words.words());
    if (damage.first_block) throw_format_error(file.path(), describe(damage, header.layout));
    return open_any(header.contents, std::move(words));
  } catch (const std::invalid_argument& too_large) {
    throw_store_error(file.path(), too_large.what());
  }
}

std::optional<WriterLock> write_file(const FilterContents& contents, const FileNotes& notes,
                                     const std::filesystem::path& target,
                                     const std::optional<WriterLock>& replaced) {
  const NativeHead head(contents, notes);
  const bool owner_only = contents.parameters.hash.id() == HashId::secret;
  return replace_file(target, head.layout.file_bytes, owner_only, replaced,
                      [&](ReplacementFile& file) {
                        write_native(head, contents, [&](auto bytes) { file.append(bytes); });
                      });
}

void save(const FilterContents& contents, const std::filesystem::path& path,
          const SaveOptions& options) {
  write_or_replace(
      path, options.replace,
      [&](const std::filesystem::path& target, const std::optional<WriterLock>& replaced) {
        return write_file(contents, options.notes, target, replaced);
      });
}

// Loads the file again if its bytes do not fit because it was changed in place meanwhile: the flag
// that its writer sets, or the count that he left, says so.
AnyFilter load(const std::filesystem::path& path) {
  const auto file = RegularFile::open(path, RegularFile::Access::read);
  for (int attempt = 1;; ++attempt) {
    const auto header = read_header(file);
    require_closed_cleanly(header, path);
    try {
      return load_from(file, header);
    } catch (const FormatError&) {
      const auto now = read_header(file);
      const bool is_changed =
          now.open_for_writing || now.is_live || now.contents.inserted != header.contents.inserted;
      if (!is_changed || attempt == kLockAttempts) throw;
    }
  }
}

namespace {

FileInfo inspect_with(const RegularFile& file, const FileHeader& header, bool verify) {
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
