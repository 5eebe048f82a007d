// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/native/file_header.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "bloomery/bits/byte_order.h"
#include "bloomery/bits/counters.h"
#include "bloomery/errors.h"
#include "bloomery/filter/half_line.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/format/native/typed_fields.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kFlagsAt = 9;
constexpr std::size_t kKindAt = 10;
constexpr std::size_t kHashAt = 11;
constexpr std::size_t kProbeCountAt = 12;
constexpr std::size_t kLinesAt = 13;
constexpr std::size_t kSeedAt = 16;
constexpr std::size_t kCapacityAt = 32;
constexpr std::size_t kRateAt = 40;
constexpr std::size_t kInsertedAt = 48;
constexpr std::size_t kEpochAt = 56;
constexpr std::size_t kChecksumAt = 60;

std::uint32_t checksum_of(std::span<const std::byte> head, std::size_t field_bytes) {
  return crc32c(head.subspan(kHeaderBytes, field_bytes), crc32c(head.first(kChecksumAt)));
}

void check_magic(std::span<const std::byte> head) {
  if (head.empty()) throw FormatError("not a bloomery filter (the file is empty)");
  for (std::size_t i = 0; i < std::min(head.size(), kFileMagic.size()); ++i) {
    if (static_cast<std::uint8_t>(head[i]) != kFileMagic[i]) {
      throw FormatError("not a bloomery filter (bad magic at byte " + std::to_string(i) + ")");
    }
  }
}

void check_version(std::uint8_t version) {
  if (version == kFileVersion) return;
  const std::string reads = "; this program reads " + std::to_string(kFileVersion) + ")";
  const char* const age =
      version > kFileVersion ? "written by a newer version (" : "unknown version (";
  throw FormatError(age + std::to_string(version) + reads);
}

[[noreturn]] void refuse_length(std::uint64_t file_bytes, const char* wants, std::uint64_t wanted) {
  throw FormatError((file_bytes < wanted ? "truncated: " : "too long: ") + grouped(file_bytes) +
                    " bytes, " + wants + grouped(wanted));
}

HashId hash_id_of(const FilterParameters& parameters) noexcept {
  return is_foreign(parameters.kind) ? HashId::foreign : parameters.hash.id();
}

NativeHash decode_hash(std::span<const std::byte> head, FilterKind kind,
                       const TypedFields& fields) {
  const auto number = get_number<std::uint8_t>(head, kHashAt);
  const HashId id{number};
  const auto seed = get_number<std::uint64_t>(head, kSeedAt);
  if ((id == HashId::foreign) != is_foreign(kind_of(kind).number)) {
    throw FormatError("hash " + std::to_string(number) +
                      " (byte 11) with that kind (byte 10): 3 is that of foreign schemes");
  }
  if (id == HashId::foreign) {
    if (fields.secret || seed != 0) {
      throw FormatError(
          "a foreign scheme with a secret key or a seed (byte 16), where it has none");
    }
    return NativeHash();
  }
  if (id == HashId::fold && !may_fold(kind)) {
    throw FormatError("hash 6 (byte 11) with kind " + std::to_string(static_cast<unsigned>(kind)) +
                      " (byte 10): it is for blocked filters");
  }
  if (hashes_texts(id)) {
    if (fields.secret) throw FormatError("a secret key, but a hash that has none (byte 11)");
    return NativeHash(id, seed);
  }
  if (id != HashId::secret) {
    throw FormatError("unknown hash " + std::to_string(number) + " at byte 11 (1 to 6 are known)");
  }
  if (!fields.secret) throw FormatError("a secret filter (byte 11) without its key");
  if (seed != 0) throw FormatError("a secret filter with a seed (byte 16), where it has none");
  return NativeHash(*fields.secret);
}

// Refuses what no filter with so many bits can truly say, though its geometry is possible.
void check_claims(const FilterContents& contents, std::uint64_t body_bits) {
  check_any_contents(contents);
  if (any_word_count(contents) * kWordBits != body_bits) {
    throw FormatError("impossible body: " + grouped(body_bits) +
                      " bits (byte 24), where such a filter has " +
                      grouped(any_word_count(contents) * kWordBits));
  }
  const FilterParameters& parameters = contents.parameters;
  const std::uint64_t inserted = contents.inserted;
  const auto bit_count = static_cast<double>(body_bits);
  // No set of n keys fits n log2(1/p) bits at a rate below p (Carter et al. 1978).
  const double least_bits =
      static_cast<double>(parameters.capacity) * -std::log2(parameters.false_positive_rate);
  // Promises of other systems are not checked: their formulas differ.
  if (least_bits > bit_count && !is_foreign(parameters.kind)) {
    throw FormatError("impossible promise: capacity " + grouped(parameters.capacity) +
                      " (byte 32) at that rate (byte 40) in " + grouped(body_bits) +
                      " bits (byte 24)");
  }
  // A windowed filter counts on while it forgets.
  if (kind_of(parameters.kind).forgets) return;
  // An insert that is new sets a bit; the estimate for a full array, bit_count * ln(2 bit_count)
  // keys at the most, stays below this too.
  if (static_cast<double>(inserted) > 64 * bit_count) {
    throw FormatError("impossible count: " + grouped(inserted) + " keys inserted (byte 48) into " +
                      grouped(body_bits) + " bits (byte 24)");
  }
}

// The positions of a geometry whose words are `body_bits`.
std::uint64_t position_count(const Kind& kind, std::uint64_t body_bits) noexcept {
  if (kind.built_once) return body_bits - std::min(body_bits, kWordBits);
  return kind.counts ? body_bits / kCounterBits : body_bits;
}

void take_window(FilterParameters& parameters, const std::optional<WindowField>& window) {
  const bool forgets = kind_of(parameters.kind).forgets;
  if (window.has_value() != forgets) {
    throw FormatError(forgets ? "a windowed filter (byte 10) without its window"
                              : "a window, but a filter that has none (byte 10)");
  }
  if (!forgets) return;
  parameters.window.length_ms = window->length_ms;
  parameters.window.generations = window->generations;
  parameters.geometry.bit_count = window->bit_count;
  parameters.geometry.line_bits = kHalfLineBits;
}

std::optional<WindowField> window_of(const FilterParameters& parameters) {
  if (!kind_of(parameters.kind).forgets) return std::nullopt;
  return WindowField{parameters.window.length_ms, parameters.window.generations,
                     parameters.geometry.bit_count};
}

void take_foreign(FilterParameters& parameters, const std::optional<ForeignField>& field) {
  const bool foreign = is_foreign(parameters.kind);
  if (field.has_value() != foreign) {
    throw FormatError(foreign ? "a foreign scheme (byte 10) without its field 6"
                              : "field 6 is for foreign schemes, and this is none (byte 10)");
  }
  if (!foreign) return;
  parameters.geometry.bit_count = field->bit_count;
  parameters.geometry.line_bits = kind_of(parameters.kind).line_bits;
  parameters.foreign_options = field->options;
  parameters.foreign_data = field->data;
}

std::optional<ForeignField> foreign_of(const FilterParameters& parameters) {
  if (!is_foreign(parameters.kind)) return std::nullopt;
  return ForeignField{parameters.geometry.bit_count, parameters.foreign_options,
                      parameters.foreign_data};
}

void take_part(FileHeader& header, const std::optional<FilePart>& part, std::uint64_t body_bits,
               Parts parts) {
  if (!part) return;
  FilterParameters& parameters = header.contents.parameters;
  if (!kind_of(parameters.kind).has_parts) {
    throw FormatError("a part of a filter (field 10) of a kind that has none (byte 10)");
  }
  if (part->body_bits() != body_bits) {
    throw FormatError("impossible body: " + grouped(body_bits) +
                      " bits (byte 24), where that part has " + grouped(part->body_bits()));
  }
  if (parts == Parts::refused) {
    throw FormatError("part " + std::to_string(part->index) + " of " + std::to_string(part->count) +
                      " of a filter in a server: bloomery convert bitmap:redis://...#NAME FILE "
                      "takes the filter out whole");
  }
  parameters.geometry.bit_count = part->bit_count;
  header.part = part;
}

// Takes the field of a live file. Its writer keeps the whole head within what is written in one
// step.
void take_live(FileHeader& header, const std::optional<FileLive>& live, Parts parts) {
  if (!live) return;
  if (!header.is_live) throw FormatError("a machine it lives on (field 11), but it is not live");
  if (!is_changed_in_place(header.contents.parameters.kind) || header.part ||
      header.layout.body_offset != kBodyAlignment || parts == Parts::taken) {
    throw FormatError("a machine it lives on (field 11), where no filter does");
  }
  if (live->has_notes && kHeaderBytes + header.layout.field_bytes > kLiveNotesAt) {
    throw FormatError("notes that move (field 12), where its fields are");
  }
  header.live = live;
}

void require_zeros(std::span<const std::byte> head, std::uint64_t at, std::uint64_t end) {
  for (; at < end; ++at) {
    if (head[at] == std::byte{0}) continue;
    throw FormatError("damaged: padding at byte " + grouped(at) + " is not zero");
  }
}

std::optional<KeyForm> keys_of(const FileHeader& header) {
  const KeyForm& keys = header.contents.parameters.keys;
  if (!keys.is_known() && !header.has_keys_field) return std::nullopt;
  return keys;
}

std::uint8_t flags_of(const FileHeader& header) noexcept {
  std::uint8_t flags = 0;
  if (header.open_for_writing) flags |= kFlagOpenForWriting;
  if (header.is_live) flags |= kFlagLive;
  return flags;
}

}  // namespace

std::vector<std::byte> encode_head(const FileHeader& header) {
  const FilterParameters& parameters = header.contents.parameters;
  const Geometry& geometry = parameters.geometry;
  const std::uint64_t body_bits =
      header.part ? header.part->body_bits() : any_word_count(header.contents) * kWordBits;
  const auto fields = encode_fields({parameters.hash.secret(), header.notes.watermark,
                                     header.notes.note, parameters.growth, header.contents.layers,
                                     window_of(parameters), foreign_of(parameters), keys_of(header),
                                     header.notes.identity, header.notes.source, header.notes.beat,
                                     header.part, header.live, header.chain});
  const auto field_bytes = static_cast<std::uint16_t>(fields.size());
  std::vector<std::byte> head(FileLayout::of(field_bytes, body_bits).body_offset);

  std::memcpy(head.data(), kFileMagic.data(), kFileMagic.size());
  put_number(head, kVersionAt, kFileVersion);
  put_number(head, kFlagsAt, flags_of(header));
  put_number(head, kKindAt, static_cast<std::uint8_t>(parameters.kind));
  put_number(head, kHashAt, static_cast<std::uint8_t>(hash_id_of(parameters)));
  put_number(head, kProbeCountAt, static_cast<std::uint8_t>(geometry.probe_count));
  put_number(head, kLinesAt, static_cast<std::uint8_t>(geometry.lines_per_key));
  put_number(head, kFieldBytesAt, field_bytes);
  put_number(head, kSeedAt, parameters.hash.seed());
  put_number(head, kBodyBitsAt, body_bits);
  put_number(head, kCapacityAt, parameters.capacity);
  put_number(head, kRateAt, parameters.false_positive_rate);
  put_number(head, kInsertedAt, header.contents.inserted);
  put_number(head, kEpochAt, header.notes.epoch);
  std::ranges::copy(fields, head.begin() + kHeaderBytes);
  put_number(head, kChecksumAt, checksum_of(head, field_bytes));
  return head;
}

std::string_view why_not_whole(const FileHeader& header) noexcept {
  return header.live ? kSharedBody : kLiveBody;
}

std::uint64_t head_end(const FileHeader& header) {
  return kHeaderBytes + get_number<std::uint16_t>(encode_head(header), kFieldBytesAt);
}

bool has_skipped_fields(const FileHeader& header) {
  return head_end(header) != kHeaderBytes + header.layout.field_bytes;
}

FileHeader decode_head(std::span<const std::byte> head, std::uint64_t file_bytes, Parts parts) {
  check_magic(head);
  if (head.size() < kHeaderBytes) refuse_length(file_bytes, "the header alone has ", kHeaderBytes);
  check_version(get_number<std::uint8_t>(head, kVersionAt));
  const auto field_bytes = get_number<std::uint16_t>(head, kFieldBytesAt);
  if (field_bytes % 8 != 0) {
    throw FormatError("fields of " + std::to_string(field_bytes) +
                      " bytes (byte 14), where a multiple of 8 is needed");
  }
  const auto body_bits = get_number<std::uint64_t>(head, kBodyBitsAt);
  const auto layout = FileLayout::of(field_bytes, body_bits);
  if (head.size() < layout.body_offset) {
    refuse_length(file_bytes, "header and fields have ", layout.body_offset);
  }
  if (checksum_of(head, field_bytes) != get_number<std::uint32_t>(head, kChecksumAt)) {
    throw FormatError("damaged: checksum of the header (byte 60) does not match");
  }
  const auto flags = get_number<std::uint8_t>(head, kFlagsAt);
  if ((flags & ~(kFlagOpenForWriting | kFlagLive)) != 0) {
    throw FormatError("unknown flags " + std::to_string(flags) + " at byte 9");
  }
  const std::uint64_t fields_end = kHeaderBytes + field_bytes;
  require_zeros(head, fields_end, std::min(layout.body_offset, kLiveNotesAt));
  const auto fields = decode_fields(head.subspan(kHeaderBytes, field_bytes), kHeaderBytes);
  if (!fields.live || !fields.live->has_notes) {
    require_zeros(head, std::max(fields_end, kLiveNotesAt), layout.body_offset);
  }
  FileHeader header;
  header.open_for_writing = (flags & kFlagOpenForWriting) != 0;
  header.is_live = (flags & kFlagLive) != 0;
  header.layout = layout;
  header.contents.inserted = get_number<std::uint64_t>(head, kInsertedAt);
  header.notes = {fields.watermark, fields.note,   get_number<std::uint32_t>(head, kEpochAt),
                  fields.identity,  fields.source, fields.beat};
  FilterParameters& parameters = header.contents.parameters;
  parameters.kind = static_cast<FilterKind>(get_number<std::uint8_t>(head, kKindAt));
  parameters.hash = decode_hash(head, parameters.kind, fields);
  parameters.geometry = {position_count(kind_of(parameters.kind), body_bits),
                         get_number<std::uint8_t>(head, kProbeCountAt),
                         get_number<std::uint8_t>(head, kLinesAt)};
  if (kind_of(parameters.kind).has_layers && !fields.layers.empty()) {
    parameters.geometry.bit_count = fields.layers.front().geometry.bit_count;
  } else if (!fields.layers.empty()) {
    throw FormatError("layers (field 4) in a filter that has none");
  }
  take_part(header, fields.part, body_bits, parts);
  take_foreign(parameters, fields.foreign);
  take_live(header, fields.live, parts);
  parameters.keys = fields.keys.value_or(kUnknownForm);
  header.has_keys_field = fields.keys.has_value();
  header.chain = fields.chain;
  parameters.growth = fields.growth;
  header.contents.layers = fields.layers;
  take_window(parameters, fields.window);
  parameters.capacity = get_number<std::uint64_t>(head, kCapacityAt);
  parameters.false_positive_rate = get_number<double>(head, kRateAt);
  check_claims(header.contents, header.part ? header.part->bit_count : body_bits);
  if (file_bytes != layout.file_bytes) refuse_length(file_bytes, "header says ", layout.file_bytes);
  return header;
}

}  // namespace bloomery
