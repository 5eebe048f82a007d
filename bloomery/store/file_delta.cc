// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/file_delta.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/delta_reader.h"
#include "bloomery/store/delta_writer.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/replace_file.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

static_assert(kDeltaPieceBytes == kBlockBytes);

// The key of a secret filter is the first field.
constexpr std::size_t kSecretAt = kHeaderBytes + 4;
constexpr std::size_t kSecretBytes = 32;

std::span<std::byte> secret_in(std::span<std::byte> head) {
  const bool is_secret = head.size() >= kSecretAt + kSecretBytes &&
                         get_number<std::uint16_t>(head, kHeaderBytes) == 1 &&
                         get_number<std::uint16_t>(head, kHeaderBytes + 2) == kSecretBytes;
  return is_secret ? head.subspan(kSecretAt, kSecretBytes) : std::span<std::byte>();
}

// A whole file: its header, the bytes of that, and its body, block by block.
class DeltaFile {
 public:
  explicit DeltaFile(const RegularFile& file)
      : file_(file),
        header_(read_header(file)),
        head_(kHeaderBytes + header_.layout.field_bytes),
        table_(header_.layout.block_count),
        words_(kBlockWords) {
    require_closed_cleanly(header_, file.path());
    file.read(head_, 0);
    file.read(std::as_writable_bytes(std::span(table_)), header_.layout.table_offset);
    digest_.add(head_);
  }

  const FileHeader& header() const noexcept { return header_; }
  std::span<std::byte> head() noexcept { return head_; }
  std::uint64_t block_count() const noexcept { return header_.layout.block_count; }
  // Valid until the next call. Throws FormatError for a damaged block.
  std::span<std::uint64_t> next() {
    const FileLayout& layout = header_.layout;
    const std::uint64_t begin = layout.block_begin(block_);
    const auto words = std::span(words_).first((layout.block_end(block_) - begin) / 8);
    file_.read(std::as_writable_bytes(words), begin);
    if (crc32c(std::as_bytes(words)) != table_[block_]) {
      throw_format_error(file_.path(), describe({.block_count = 1, .first_block = block_}, layout));
    }
    digest_.add(std::as_bytes(words));
    ++block_;
    return words;
  }
  // The digest of the head and the blocks that were read.
  std::uint64_t digest() const noexcept { return digest_.value(); }

 private:
  const RegularFile& file_;
  FileHeader header_;
  std::vector<std::byte> head_;
  std::vector<std::uint32_t> table_;
  std::vector<std::uint64_t> words_;
  DeltaDigest digest_;
  std::uint64_t block_ = 0;
};

// Why only the whole file `to` will do; empty where a delta will.
std::string why_whole(const FileHeader& from, const FileHeader& to) {
  const FilterContents& old = from.contents;
  const FilterContents& now = to.contents;
  const Kind& kind = kind_of(now.parameters.kind);
  if (kind.built_once) {
    return "filters of the kind " + std::string(kind.name) +
           " are made anew each time, with other bits";
  }
  FilterParameters same_keys = old.parameters;  // the later file says what they are
  same_keys.keys = now.parameters.keys;
  if (std::string why = incompatibility(same_keys, now.parameters); !why.empty()) return why;
  if (old.layers.size() != now.layers.size()) {
    return "the filter grew: it has " + std::to_string(now.layers.size()) + " layers, and had " +
           std::to_string(old.layers.size());
  }
  if (from.layout.body_bytes != to.layout.body_bytes) return "the filters have different sizes";
  if (from.notes.identity.is_set() && from.notes.identity != to.notes.identity) {
    return "the identity is another: the filter was cleared or made anew";
  }
  const auto before = from.notes.reached();
  const auto after = to.notes.reached();
  if (before && after && before->source == after->source && after->position < before->position) {
    return "its watermark is " + grouped(after->position) + ", and that of the other " +
           grouped(before->position) + ", so it is the earlier of the two, which is named first";
  }
  return {};
}

// Returns whether `now` has all bits of `old`, which has as many words.
bool has_all(std::span<const std::uint64_t> now, std::span<const std::uint64_t> old) noexcept {
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < old.size(); ++i) missing |= old[i] & ~now[i];
  return missing == 0;
}

// Head and zeros of the later file, whose secret key is that of the earlier one.
std::vector<std::byte> later_head(const DeltaReader& delta, DeltaFile& from) {
  std::vector<std::byte> head(delta.head().begin(), delta.head().end());
  if (const auto secret = secret_in(head); !secret.empty()) {
    const auto known = secret_in(from.head());
    std::ranges::copy(known.first(std::min(known.size(), secret.size())), secret.begin());
  }
  if (kHeaderBytes + get_number<std::uint16_t>(head, kFieldBytesAt) != head.size()) {
    throw FormatError("not a delta of a filter: a head of another length than its fields");
  }
  const auto layout = FileLayout::of(get_number<std::uint16_t>(head, kFieldBytesAt),
                                     get_number<std::uint64_t>(head, kBodyBitsAt));
  head.resize(layout.body_offset);
  const FileHeader header = decode_head(head, layout.file_bytes);
  if (layout.body_bytes != delta.body_bytes() || header.open_for_writing || header.is_live) {
    throw FormatError("not a delta of a filter: the later file would not be whole");
  }
  if (const std::string why = why_whole(from.header(), header); !why.empty()) {
    throw IncompatibleError(why);
  }
  return head;
}

// The digest of a file, all of which is checked on the way.
std::uint64_t checked_digest(const RegularFile& file) {
  DeltaFile whole(file);
  for (std::uint64_t i = 0; i < whole.block_count(); ++i) whole.next();
  return whole.digest();
}

// Writes the later file, whose checksums are made of its own bits.
void write_later(DeltaFile& from, DeltaReader& delta, std::span<const std::byte> head,
                 ReplacementFile& to) {
  DeltaDigest digest;
  digest.add(head.first(delta.head().size()));
  to.append(head);
  std::vector<std::uint32_t> table;
  for (std::uint64_t i = 0; i < from.block_count(); ++i) {
    const auto words = from.next();
    delta.apply(words);
    digest.add(std::as_bytes(words));
    table.push_back(crc32c(std::as_bytes(words)));
    to.append(std::as_bytes(words));
  }
  delta.finish();
  if (digest.value() != delta.ends().to) {
    throw FormatError("not a delta of a filter: it leads to other bits than it says");
  }
  to.append(std::as_bytes(std::span(table)));
}

}  // namespace

void write_delta(const std::filesystem::path& from, const std::filesystem::path& to,
                 const ByteSink& sink) {
  const auto old_file = RegularFile::open(from, RegularFile::Access::read);
  const auto new_file = RegularFile::open(to, RegularFile::Access::read);
  DeltaFile old(old_file);
  DeltaFile now(new_file);
  const auto refuse = [&](const std::string& why) {
    throw IncompatibleError("no delta leads from " + from.string() + " to " + to.string() + ": " +
                            why + "; send the whole file");
  };
  if (const std::string why = why_whole(old.header(), now.header()); !why.empty()) refuse(why);
  std::vector<std::byte> head(now.head().begin(), now.head().end());
  std::ranges::fill(secret_in(head), std::byte{0});
  DeltaWriter writer(sink, head, now.header().layout.body_bytes);
  const bool only_sets = !loses_keys(now.header().contents.parameters.kind);
  for (std::uint64_t i = 0; i < now.block_count(); ++i) {
    const auto before = old.next();
    const auto after = now.next();
    if (only_sets && !has_all(after, before)) {
      refuse(to.string() + " lacks bits that " + from.string() +
             " has, so it is the earlier of the two, which is named first, or was made anew");
    }
    writer.add(before, after);
  }
  writer.finish({old.digest(), now.digest()});
}

Patched apply_delta(const std::filesystem::path& file, std::span<const std::byte> delta) {
  DeltaReader reader(delta);
  const auto target = follow_links(file);
  const std::optional<WriterLock> lock(WriterLock::of(target));
  const std::uint64_t digest = checked_digest(lock->file());
  if (digest == reader.ends().to) return Patched::already;
  if (digest != reader.ends().from) {
    throw IncompatibleError(
        file.string() +
        ": is not the file that the delta leads from, nor the one that it leads "
        "to; a delta between was missed, or take the whole file");
  }
  try {
    DeltaFile from(lock->file());
    const std::vector<std::byte> head = later_head(reader, from);
    const bool owner_only = !secret_in(from.head()).empty();
    const std::uint64_t bytes =
        head.size() + from.header().layout.body_bytes + from.header().layout.table_bytes;
    replace_file(target, bytes, owner_only, lock,
                 [&](ReplacementFile& to) { write_later(from, reader, head, to); });
  } catch (const FormatError& error) {
    throw_format_error(file, error.what());
  }
  return Patched::changed;
}

}  // namespace bloomery
