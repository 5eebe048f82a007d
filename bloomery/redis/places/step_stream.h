// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/place/watermark.h"
#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"
#include "bloomery/redis/places/native_bitmap.h"

// A stream beside a string that holds a filter of ours: the hashes of the keys that each step of
// its head brought (docs/format.md, "Steps beside a string"). Copies elsewhere go on by them. No
// entry is believed for its place in the stream: it counts for a copy that stands exactly where the
// entry begins, and only if the entries lead to the head that the string has at that moment.
namespace bloomery::redis {

// The state of a filter, as its head names it. A step begins at one and ends at another; no two
// steps from the same one end at the same one.
struct StepState {
  Identity identity{};
  std::optional<Watermark> reached{};
  std::uint64_t beat = 0;

  friend bool operator==(const StepState&, const StepState&) = default;
};
StepState step_state(const NativeBitmapHead& head);

// The stream's key, in the slot of the string's key; no two strings have the same one.
std::string step_stream_key(const std::string& key);

// The stream of a string that is written. No key: there is none.
struct StepStream {
  std::string key{};
  std::uint64_t most_bytes = 0;  // of its entries

  bool is_kept() const noexcept { return !key.empty(); }
};

// The keys of one transaction, which moved the head.
struct StepEntry {
  StepState before{};
  StepState after{};
  std::vector<HashPair> hashes{};
};
std::string encode_step(const StepState& before, const StepState& after,
                        std::span<const HashPair> hashes);
// Nothing for bytes that are no entry.
std::optional<StepEntry> decode_step(std::string_view bytes);

// The entry that a step leaves. Empty: it leaves none.
struct StepNote {
  const StepStream* stream = nullptr;
  std::uint64_t beat = 0;  // of the head that the step leads to
  std::string entry{};
};

// A function of Lua, `keep(stream, beat, entry, most)`, which appends the entry of a step that was
// taken, and takes away the oldest entries beyond `most` bytes. The stream goes ten minutes after
// the last one. Whatever fails leaves a gap, which copies see, and no error.
std::string_view keep_step_script() noexcept;
// Appends an EVAL that keeps the entry if the string has the head that the step led to.
void append_keep_step(Request& request, std::string_view key, const StepNote& note,
                      std::string_view head);

// Appends the question for the first entries behind a state.
void append_step_question(Request& request, std::string_view stream, const StepState& behind,
                          std::size_t most_entries);
// A stream, and the state of who waits for its next entries.
struct StreamState {
  std::string stream{};
  StepState behind{};
};
// Appends the question for the first entries behind the states, which waits until one has come.
void append_step_wait(Request& request, std::span<const StreamState> streams,
                      std::chrono::milliseconds wait);
// The entries of each stream. A stream of which none came, or that others use, has none.
std::vector<std::vector<StepEntry>> read_awaited_steps(const Reply& reply,
                                                       std::span<const StreamState> streams);
// The entries of the reply, in their order, up to the first that is none; `count`: of all.
struct StepReply {
  std::vector<StepEntry> entries{};
  std::size_t count = 0;
};
StepReply read_steps(const Reply& reply);

}  // namespace bloomery::redis
