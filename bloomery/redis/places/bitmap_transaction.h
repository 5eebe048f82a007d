// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/redis/places/set_bits.h"
#include "bloomery/redis/places/trailer.h"

// MULTI, ECHO, ROLE, STRLEN, HMGET of the configuration, EXISTS of counters, GETRANGE of a trailer,
// as far as there may be these, one BITFIELD of all bits, EXEC: the bits and all that says whether
// they may be believed, of one moment. Bits are set by a script that looks at all that, too. What
// ECHO says belongs to this question alone: nobody takes the answer to another for its own.
namespace bloomery::redis {

// `copy` reads the whole bitmap.
enum class Touch : std::uint8_t { read, set, copy };

// Reads the bits at `known`, and then reads or sets those at `positions`, if the bitmap has at
// least so many bytes; and with `step` moves the trailer.
void append_transaction(Request& request, const LiveBitmap& filter, Touch touch,
                        std::string_view nonce, std::span<const std::uint64_t> known,
                        std::span<const std::uint64_t> positions, std::uint64_t least_bytes,
                        const ByteStep& step);
// How many replies one has.
std::size_t replies_of_transaction(const LiveBitmap& filter, Touch touch) noexcept;

struct TransactionResult {
  // Why "absent" may not be said of it; empty: it may, unless there is no bitmap.
  std::string doubt{};
  bool is_primary = true;
  std::uint64_t byte_count = 0;  // of the bitmap, before it was touched; 0: there is none
  // `known_bits`, `bits`: the bits as they were before the transaction. With WRONGTYPE both are
  // empty.
  std::vector<bool> known_bits{};
  std::vector<bool> bits{};
  std::string bitmap{};              // of a copy, without a trailer
  std::optional<Trailer> trailer{};  // as it was before, where there is one
  bool has_set = true;               // false: it was not the filter, and nothing was set
  bool has_stepped = false;
};

// Throws RefusedError for what the server refused, ProtocolError for what is no answer to it.
TransactionResult read_transaction(std::span<const Reply> replies, const LiveBitmap& filter,
                                   Touch touch, std::string_view nonce,
                                   std::span<const std::uint64_t> known, std::size_t position_count,
                                   bool allow_replica);

}  // namespace bloomery::redis
