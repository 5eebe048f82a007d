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
#include "bloomery/redis/places/native_bitmap.h"
#include "bloomery/redis/places/step_stream.h"

// Scripts that look whether a string is still the filter that it was, and then set bits in it and
// take a step; in one of another length or geometry they do nothing. Bits of a larger filter would
// make a smaller one longer than its head says, and nobody could read it any more. In one of the
// same sizes bits are set, whoever's it is: the caller sees afterwards that it is another's.
namespace bloomery::redis {

struct LiveBitmap;

// Bytes at one place of a string, and those that take theirs: a head, or a trailer. Whoever has
// moved it in between finds it refused. Empty: there is none.
struct ByteStep {
  std::string_view old{};
  std::string_view next{};
};

// Returns a number by which a beat moves: two steps from the same bytes never end at the same ones.
std::uint64_t random_step();

// A filter of our own.
struct NativeString {
  std::string_view key;
  std::uint64_t byte_count = 0;
  std::string_view geometry;  // geometry_bytes() of its head
};

// Sets bits in lines of 64 bytes, of a body that starts at `body_offset`. Lines that come one after
// the other and are near each other are one reading and one writing; a single one takes the server
// some 10 us. The reply says of each line whether all of its bits were set, and what the first
// lines that changed were.
void append_set_lines(Request& request, const NativeString& filter, std::uint64_t body_offset,
                      const KeyBits& bits, const ByteStep& step, const StepNote& note = {});
// Sets bits wherever they are, by the numbers that SETBIT gives them, some 3 us each. The reply
// says what they were.
void append_set_bits(Request& request, const NativeString& filter,
                     std::span<const std::uint64_t> offsets, const ByteStep& step,
                     const StepNote& note = {});
// Sets bits in another system's bitmap, unless length, configuration, counters or trailer say that
// it is another one. The bitmap was seen to have `least_bytes`.
void append_set_bits(Request& request, const LiveBitmap& filter, std::uint64_t least_bytes,
                     std::span<const std::uint64_t> offsets, const ByteStep& step);

struct SetAnswer {
  bool has_set = false;  // false: it is another's, and nothing was done
  bool has_stepped = false;
  std::vector<bool> were_set{};  // a line or bit each
  static constexpr std::size_t kOldLines = 8;
  std::string old_lines{};  // the first that changed, at most so many, as they were
};
// Reads the reply to append_set_lines() or append_set_bits(), of `count` lines or bits. Throws
// ProtocolError for what is no such reply; `name` is the place's.
SetAnswer read_set(const Reply& reply, std::size_t count, bool by_lines, const std::string& name);

}  // namespace bloomery::redis
