// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/joined_file.h"

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/os/file_lock.h"
#include "bloomery/place/call_context.h"
#include "bloomery/store/in_place.h"
#include "bloomery/store/live_notes.h"
#include "bloomery/store/local_file.h"
#include "bloomery/store/machine_start.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/replacement_file.h"
#include "bloomery/store/writer_lock.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{2};
// A child has what its parent has open between fork() and exec().
constexpr std::chrono::milliseconds kUntilExec{10};

// Returns whether all bits of the file are there, and anybody may have it open now.
bool is_joined(const FileHeader& header, const Identity& boot) noexcept {
  return header.is_live && !header.open_for_writing && header.live && header.live->boot == boot;
}

// The place among what came may be left out: it begins anew behind the fields.
void make_room(FileHeader& header, const std::filesystem::path& path) {
  const std::uint64_t room = header.live->has_notes ? kLiveNotesAt : kBodyAlignment;
  if (header.layout.body_offset == kBodyAlignment) {
    if (head_end(header) > room) header.chain.clear();
    if (head_end(header) <= room) return;
  }
  throw_store_error(path, "its fields leave no room in the first " + grouped(room) +
                              " bytes for what a live file says: give it a shorter note");
}

// Gives the file last bytes in which a cut shows. A process that is killed within leaves a file
// whose table says nothing, and to which this is done again.
void give_live_end(const RegularFile& file, FileHeader header) {
  header.open_for_writing = true;
  write_head(file, header);
  file.sync();
  file.write(std::as_bytes(std::span(&kNewLiveEnd, 1)),
             header.layout.file_bytes - sizeof kNewLiveEnd);
}

// Called while nobody else has the file open. Whatever ends this process leaves it whole, or live
// and all there.
void make_live(const WriterLock& lock, const Identity& boot, bool moves_notes,
               const std::filesystem::path& path) {
  const RegularFile& file = lock.file();
  require_local(file);
  FileHeader header = read_header(file);
  if (header.is_live) {
    require_of_this_boot(header, boot, path);
    if (!header.open_for_writing) return;
    require_known_fields(header, path);
    allocate_all(file);
  } else {
    require_closed_cleanly(header, path);
    require_known_fields(header, path);
    require_changed_in_place(header.contents.parameters.kind, path);
    allocate_all(file);
    // The file will be signed again.
    require_whole_body(file, header.layout);
  }
  header.is_live = true;
  header.live = {boot, 0, moves_notes};
  make_room(header, path);
  if (!may_be_live_end(live_end(file, header.layout))) give_live_end(file, header);
  header.open_for_writing = false;
  header.live->count_base = live_number(file, header.layout);
  write_head(file, header);
  file.sync();
}

// Opens the file as its writers do, though it is only read.
std::optional<RegularFile> open_the_writers(const std::filesystem::path& path) {
  try {
    return open_beside_others(path, RegularFile::Access::read_write);
  } catch (const StoreError& error) {
    throw_store_error(path,
                      std::string("is on overlayfs, where a writer may copy it, and who reads "
                                  "it is to have that copy, for which it must be opened for "
                                  "writing: put it on a volume (") +
                          error.what() + ")");
  }
}

// Makes a file whole where who did that was killed meanwhile: all bits are there, and nobody sets
// any. Throws BusyError where somebody else does it now, and StoreError where this process may not.
void finish_whole(const std::filesystem::path& path) {
  try {
    seal_if_alone(path);
  } catch (const StoreError& error) {
    throw_store_error(path,
                      std::string("who made it whole was killed meanwhile, and this process cannot "
                                  "do it: seal() or bloomery seal does, by a user who may write "
                                  "it (") +
                          error.what() + ")");
  }
  const auto header = read_header(RegularFile::open(path, RegularFile::Access::read));
  if (header.is_live && header.open_for_writing) throw_busy(path);
}

std::optional<JoinedFile> try_join(const std::filesystem::path& path, const Identity& boot,
                                   RegularFile::Access access) {
  auto file = open_beside_others(path, access);
  if (!file) return std::nullopt;
  FileHeader header = read_header(*file);
  if (is_joined(header, boot)) {
    // A mount of FUSE or NFS, by which another process may have the file, leads to other memory.
    require_local(*file);
    require_uncut(*file, header);
    if (access == RegularFile::Access::read && is_copied_by_writers(*file)) {
      file = open_the_writers(path);
      if (!file || encode_head(read_header(*file)) != encode_head(header)) return std::nullopt;
    }
    return JoinedFile{std::move(*file), std::move(header)};
  }
  if (access == RegularFile::Access::read_write) return std::nullopt;
  if (header.is_live) {
    require_of_this_boot(header, boot, path);
    require_local(*file);
    file.reset();
    finish_whole(path);
    return try_join(path, boot, access);
  }
  throw_store_error(path, "is not live, and cannot be shared read-only: open_mapped reads it");
}

// A writer in place has the file for as long as he likes.
bool has_a_writer(const std::filesystem::path& path) {
  try {
    const auto header = read_header(RegularFile::open(path, RegularFile::Access::read));
    return header.open_for_writing && !header.is_live;
  } catch (const FormatError&) {
    return false;  // its head is being written
  }
}

}  // namespace

JoinedFile join_live(const std::filesystem::path& path, RegularFile::Access access,
                     bool moves_notes, std::chrono::milliseconds patience) {
  const Identity boot = boot_id();
  const bool writes = access == RegularFile::Access::read_write;
  const auto end = CallContext::within(patience).deadline;
  for (;;) {
    if (auto joined = try_join(path, boot, access)) return std::move(*joined);
    try {
      if (!writes) throw_busy(path);
      make_live(WriterLock::of(path), boot, moves_notes, path);
      continue;
    } catch (const BusyError&) {
      // Somebody joins it, makes it live or seals it; or keeps it.
      if (Clock::now() >= end || has_a_writer(path)) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

void seal_if_alone(const std::filesystem::path& path) {
  const auto end = Clock::now() + kUntilExec;
  for (;;) {
    try {
      const auto lock = WriterLock::of_existing(path);
      if (!lock) return;
      const auto header = read_header(lock->file());
      if (!header.is_live) return;
      require_of_this_boot(header, boot_id(), path);
      require_uncut(lock->file(), header);
      return make_whole(lock->file(), header, inserted_into(lock->file(), header));
    } catch (const BusyError&) {
      if (Clock::now() >= end) return;
    }
    std::this_thread::sleep_for(kPause);
  }
}

void seal_if_allowed(const std::filesystem::path& path) {
  try {
    seal_if_alone(path);
  } catch (const std::exception&) {
    // The file stays live.
  }
}

void seal_without_notes(const std::filesystem::path& path) {
  const FileHeader header = read_header(RegularFile::open(path, RegularFile::Access::read));
  if (header.live && !header.live->has_notes && !is_held(path)) seal_if_alone(path);
}

void take_notes(const JoinedFile& joined, const std::filesystem::path& path) {
  if (!joined.header.live->has_notes) {
    throw BusyError(path.string() +
                    ": is live already, by processes that insert into it, and its watermark cannot "
                    "be moved: once they have closed it, it can");
  }
  if (os::try_lock_byte(joined.file.descriptor(), kLiveNotesAt)) return;
  throw BusyError(path.string() + ": another process keeps it in step");
}

}  // namespace bloomery
