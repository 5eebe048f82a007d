// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/bitmap_transaction.h"

#include <string_view>
#include <utility>

#include "bloomery/redis/client/bitfield.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/set_bits.h"

namespace bloomery::redis {
namespace {

// The number of commands between MULTI and EXEC.
std::size_t inner_size(const LiveBitmap& filter, Touch touch) noexcept {
  return 4 + (touch == Touch::set ? 1U : 0U) + (filter.config.empty() ? 0U : 1U) +
         (filter.counts_key.empty() ? 0U : 1U) + (filter.has_trailer ? 1U : 0U);
}

void append_config(Request& request, const LiveBitmap& filter) {
  if (filter.config.empty()) return;
  std::vector<std::string_view> words{"HMGET", filter.config_key};
  for (const ConfigField& field : filter.config) words.push_back(field.name);
  request.add(words);
}

void append_bits(Request& request, const LiveBitmap& filter, Touch touch,
                 std::span<const std::uint64_t> known, std::span<const std::uint64_t> positions,
                 std::uint64_t least_bytes, const ByteStep& step) {
  switch (touch) {
    case Touch::copy:
      request.add({"GET", filter.key});
      return;
    case Touch::read:
      append_bitfield(request, filter.key, false, known, positions);
      return;
    case Touch::set:
      // A command that writes, so that a replica refuses the whole transaction before it begins.
      append_bitfield(request, filter.key, true, known, {});
      append_set_bits(request, filter, least_bytes, positions, step);
      return;
  }
}

[[noreturn]] void fail(const LiveBitmap& filter, const char* what) {
  fail_answer(filter.name, what);
}

void read_config(const Reply& reply, const LiveBitmap& filter, TransactionResult& result) {
  if (!reply.is(Reply::Type::array) || reply.elements.size() != filter.config.size()) {
    fail(filter, "its configuration");
  }
  for (std::size_t i = 0; i < filter.config.size(); ++i) {
    const Reply& value = reply.elements[i];
    if (value.is(Reply::Type::nil)) {
      result.doubt = "its configuration " + filter.config_key + " is gone";
    } else if (!value.is(Reply::Type::text)) {
      fail(filter, "its configuration");
    } else if (value.text != filter.config[i].value) {
      result.doubt = "its configuration has changed since it was opened";
    }
  }
}

// If counters stand beside the bits, who erases a key clears bits that others need too.
void read_counts(const Reply& reply, const LiveBitmap& filter, TransactionResult& result) {
  if (!reply.is(Reply::Type::number)) fail(filter, "whether it has counters");
  if (reply.number == 0) return;
  result.doubt = "it has counters (" + filter.counts_key +
                 "): keys may be erased from it, and those that are only in its bits are lost then";
}

// Reads the trailer, if the string has exactly the length of a bitmap with one.
void find_trailer(const Reply& reply, const LiveBitmap& filter, TransactionResult& result) {
  if (!reply.is(Reply::Type::text)) fail(filter, "its trailer");
  if (result.byte_count != trailer_offset(filter.parameters) + kTrailerBytes) return;
  result.trailer = read_trailer(reply.text, filter.parameters);
}

void read_bitmap(const Reply& reply, const LiveBitmap& filter, std::span<const std::uint64_t> known,
                 TransactionResult& result) {
  if (reply.text.size() != result.byte_count) fail(filter, "its bitmap");
  result.bitmap = reply.text;
  if (result.trailer) result.bitmap.resize(trailer_offset(filter.parameters));
  for (const std::uint64_t position : known) {
    const std::uint64_t at = position / 8;
    const auto byte = static_cast<unsigned char>(at < reply.text.size() ? reply.text[at] : 0);
    result.known_bits.push_back((byte >> (7 - position % 8) & 1) != 0);
  }
}

}  // namespace

void append_transaction(Request& request, const LiveBitmap& filter, Touch touch,
                        std::string_view nonce, std::span<const std::uint64_t> known,
                        std::span<const std::uint64_t> positions, std::uint64_t least_bytes,
                        const ByteStep& step) {
  begin_transaction(request, nonce);
  request.add({"STRLEN", filter.key});
  append_config(request, filter);
  if (!filter.counts_key.empty()) request.add({"EXISTS", filter.counts_key});
  if (filter.has_trailer) {
    const std::uint64_t from = trailer_offset(filter.parameters);
    request.add(
        {"GETRANGE", filter.key, std::to_string(from), std::to_string(from + kTrailerBytes - 1)});
  }
  append_bits(request, filter, touch, known, positions, least_bytes, step);
  request.add({"EXEC"});
}

std::size_t replies_of_transaction(const LiveBitmap& filter, Touch touch) noexcept {
  return 2 + inner_size(filter, touch);
}

TransactionResult read_transaction(std::span<const Reply> replies, const LiveBitmap& filter,
                                   Touch touch, std::string_view nonce,
                                   std::span<const std::uint64_t> known, std::size_t position_count,
                                   bool allow_replica) {
  const auto& all = read_exec(replies, inner_size(filter, touch), nonce, filter.name);
  TransactionResult result;
  if (has_wrong_type(all, filter.name)) {
    result.doubt = "a key of it holds no string and hash as a filter has (WRONGTYPE)";
    return result;
  }
  result.byte_count = length_in(all[2], filter.name);
  std::size_t next = 3;
  if (!filter.config.empty()) read_config(all[next++], filter, result);
  if (!filter.counts_key.empty()) read_counts(all[next++], filter, result);
  if (filter.has_trailer) find_trailer(all[next++], filter, result);
  const std::string role = role_doubt(all[1], allow_replica, filter.name);
  result.is_primary = role.empty();
  if (!role.empty()) result.doubt = role;
  const Reply& bits = all[next++];
  if (touch == Touch::copy) {
    read_bitmap(bits, filter, known, result);
  } else {
    read_bitfield(bits, known.size(), touch == Touch::set ? 0 : position_count, result.known_bits,
                  result.bits, filter.name);
  }
  if (touch == Touch::set) {
    SetAnswer set = read_set(all[next], position_count, false, filter.name);
    result.has_set = set.has_set;
    result.has_stepped = set.has_stepped;
    result.bits = std::move(set.were_set);
  }
  return result;
}

}  // namespace bloomery::redis
