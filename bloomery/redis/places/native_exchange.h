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
#include "bloomery/redis/places/native_bitmap.h"
#include "bloomery/redis/places/step_stream.h"

// Many lines of a string of ours, set without a script: they are read by one trip, and written by
// the next one of the same connection, with the head, where nobody has written into the string
// since (WATCH). That costs the server a command for each stretch of lines that are near each
// other, a third to a tenth of what it takes a script to go through them.
namespace bloomery::redis {

class NativeExchange {
 public:
  // `old_head` goes to `next_head`; `known` are offsets of bits that were seen set. What it is
  // given outlives it.
  struct Setup {
    std::string_view key{};
    std::string_view name{};
    std::uint64_t byte_count = 0;  // of the string
    std::uint64_t body_offset = 0;
    std::string_view old_head{};
    std::string_view next_head{};
    std::span<const std::uint64_t> known{};
    const StepNote* note = nullptr;  // null, or empty: the step leaves none
  };
  explicit NativeExchange(const Setup& setup) : setup_(setup) {}

  void add(const KeyBits& bits);

  // WATCH, all that is to be looked at, and MULTI: were that refused beside what it guards, each
  // command would be done by itself.
  Request question();
  // Returns whether the string is the filter that was expected, of a primary, with `old_head`; else
  // there is nothing to be written. Throws ProtocolError for what is no answer.
  bool take(std::span<const Reply> replies);
  // The bits at `known`, as they were read.
  const std::vector<bool>& known_bits() const noexcept { return known_bits_; }
  // The bits that were added and were clear.
  const std::vector<std::uint64_t>& changed() const noexcept { return changed_; }
  // The second request: the lines that have changed, the next head, EXEC. Called once.
  Request writing();
  enum class Outcome : std::uint8_t {
    done,
    overtaken,  // somebody has written in between: nothing is done
    refused,    // nothing is done, or not all of it
  };
  Outcome outcome(std::span<const Reply> replies) const;

 private:
  struct Line {
    std::uint64_t number;
    std::span<const std::uint64_t> bits;
  };
  struct Run {
    std::size_t first_line;
    std::size_t behind_lines;
    std::uint64_t from;  // in the string
    std::uint64_t byte_count;
  };

  void cut_into_runs();
  // The run with its bits set; nothing where they were.
  std::optional<std::string> set_in(const Run& run, std::string_view old);

  const Setup setup_;
  std::vector<Line> lines_{};
  std::vector<Run> runs_{};
  std::string first_nonce_{};
  std::string nonce_{};
  std::vector<bool> known_bits_{};
  std::vector<std::uint64_t> changed_{};
  bool has_note() const noexcept { return setup_.note != nullptr && !setup_.note->entry.empty(); }

  Request writing_{};
  std::size_t write_count_ = 0;
};

}  // namespace bloomery::redis
