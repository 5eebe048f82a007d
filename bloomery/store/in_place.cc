// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/in_place.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "bloomery/filter/rates.h"
#include "bloomery/format/kinds.h"
#include "bloomery/os/file_bytes.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/live_notes.h"
#include "bloomery/store/messages.h"

namespace bloomery {

// Throws StoreError for a kind that is not changed in place. A crash leaves usable pages in a file
// only if changes to it set bits and never clear any.
void require_changed_in_place(FilterKind kind, const std::filesystem::path& path) {
  if (is_changed_in_place(kind)) return;
  throw_store_error(path, "is a " + std::string(kind_of(kind).name) +
                              " filter, which is not changed in place: load it and save it");
}

void require_known_fields(const FileHeader& header, const std::filesystem::path& path) {
  if (!has_skipped_fields(header)) return;
  throw_store_error(path,
                    "has fields of a later program, which changing it in place would lose: read "
                    "it, or use that program");
}

void require_whole_body(const RegularFile& file, const FileLayout& layout) {
  const BodyDamage damage = read_body(file, layout);
  if (damage.first_block) throw_format_error(file.path(), describe(damage, layout));
}

void allocate_all(const RegularFile& file) {
  int error_number = 0;
  do {
    error_number = os::allocate(file.descriptor(), file.size());
  } while (error_number == EINTR);
  if (error_number != 0) throw_store_error(file.path(), "reserve its space", error_number);
}

std::shared_ptr<FileMapping> map_whole(const RegularFile& file, FileMapping::Changes changes,
                                       bool survive_truncation) {
  try {
    return std::make_shared<FileMapping>(file.descriptor(), file.size(), changes,
                                         survive_truncation);
  } catch (const std::system_error& error) {
    throw_store_error(file.path(), error.what());
  }
}

void write_head(const RegularFile& file, const FileHeader& header) {
  const auto head = encode_head(header);
  // In a longer head the fields stay as they are: only the header is written.
  file.write(std::span(head).first(head.size() == kBodyAlignment ? kBodyAlignment : kHeaderBytes),
             0);
}

std::uint32_t live_end(const RegularFile& file, const FileLayout& layout) {
  std::uint32_t end = 0;
  file.read(std::as_writable_bytes(std::span(&end, 1)), layout.file_bytes - sizeof end);
  return end;
}

bool is_cut(const RegularFile& file, const FileHeader& header) {
  // A process that was killed while it made the file whole had begun to write checksums there.
  return header.live && !header.open_for_writing && live_end(file, header.layout) < kLeastLiveEnd;
}

void require_uncut(const RegularFile& file, const FileHeader& header) {
  if (!is_cut(file, header)) return;
  throw_store_error(file.path(),
                    "was cut while it was live, and some of its bits may be gone: build it anew, "
                    "or take what is there with --recover and insert again what may be missing");
}

std::uint64_t live_number(const RegularFile& file, const FileLayout& layout) {
  std::uint64_t number = 0;
  const auto bytes = std::as_writable_bytes(std::span(&number, 1));
  file.read(bytes.first(has_wide_count(layout) ? 8 : 4), layout.table_offset);
  return number;
}

std::uint64_t inserted_into(const RegularFile& file, const FileHeader& header) {
  const std::uint64_t before = header.contents.inserted;
  // A process that was killed while it made the file whole had the count in the header.
  if (header.open_for_writing) return before;
  const std::uint64_t since =
      live_inserts(header.layout, *header.live, live_number(file, header.layout));
  // The count is limited to the most that a file may say.
  return std::max(before, std::min(before + since, 64 * 8 * header.layout.body_bytes));
}

void make_whole(const RegularFile& file, FileHeader header, std::optional<std::uint64_t> inserted) {
  require_known_fields(header, file.path());
  const BodySummary body = summarize_body(file, header.layout);
  FilterContents& contents = header.contents;
  const double estimate = estimate_cardinality(contents.parameters.geometry, body.ones);
  contents.inserted = inserted.value_or(
      std::max(contents.inserted, static_cast<std::uint64_t>(std::llround(estimate))));
  FileHeader noted = header;
  take_live_notes(noted, file);
  if (is_cut(file, header)) {
    // Bits that its watermark speaks of may be gone: it is another filter, which reached nothing.
    noted.notes = {.note = header.notes.note, .epoch = header.notes.epoch};
    noted.chain.clear();
  }
  if (header.live) {
    // The table is no longer a count: who finds the file so takes the head's.
    header.open_for_writing = true;
    write_head(file, header);
  }
  file.write(std::as_bytes(std::span(body.checksums)), header.layout.table_offset);
  // Body and table are on the disk before anybody may believe them.
  file.sync();
  header.open_for_writing = false;
  header.is_live = false;
  header.live.reset();
  // Notes that moved come to the disk after the bits that they speak of.
  header.notes = std::move(noted.notes);
  header.chain = std::move(noted.chain);
  write_head(file, header);
  file.sync();
}

}  // namespace bloomery
