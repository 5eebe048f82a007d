// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"

// Bits of a string, many in one command. A bit travels as a signed field of one bit, "-1" or "0":
// no single byte that changes on the way back makes a clear bit of one that is set.
namespace bloomery::redis {

// Reads the bits at `known`, and then reads, or sets and reads as they were, those at `positions`,
// which are as GETBIT counts them.
void append_bitfield(Request& request, std::string_view key, bool sets,
                     std::span<const std::uint64_t> known,
                     std::span<const std::uint64_t> positions);

// Reads the reply to append_bitfield(): appends the bits at `known` to `known_bits`, and those at
// the `count` positions to `bits`. Throws ProtocolError if the reply is not as many bits; `name` is
// the place's, for messages.
void read_bitfield(const Reply& reply, std::size_t known_count, std::size_t count,
                   std::vector<bool>& known_bits, std::vector<bool>& bits, const std::string& name);

}  // namespace bloomery::redis
