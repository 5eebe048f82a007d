// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/native_file_access.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/machine_start.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/replace_file.h"

namespace bloomery {

std::vector<std::byte> read_head(const RegularFile& file, std::uint64_t most) {
  std::vector<std::byte> head(std::min(file.size(), most));
  file.read(head, 0);
  return head;
}

// Reads a head again that was half one and half another, as who changes the file in place wrote it
// just then.
FileHeader read_header(const RegularFile& file) {
  auto head = read_head(file, kMaxHeadBytes);
  for (int attempt = 1;; ++attempt) {
    try {
      return decode_head(head, file.size());
    } catch (const FormatError& error) {
      auto again = read_head(file, kMaxHeadBytes);
      if (again == head || attempt == kLockAttempts) throw_format_error(file.path(), error.what());
      head = std::move(again);
    }
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
                                     const RegularFile* replaced, const std::string& chain) {
  const NativeHead head(contents, notes, chain);
  const bool owner_only = contents.parameters.hash.id() == HashId::secret;
  return replace_unlocked(target, head.layout.file_bytes, owner_only, replaced,
                          [&](ReplacementFile& file) {
                            write_native(head, contents, [&](auto bytes) { file.append(bytes); });
                          });
}

}  // namespace bloomery
