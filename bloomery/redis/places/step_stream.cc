// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/step_stream.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "bloomery/bits/byte_order.h"
#include "bloomery/redis/client/hash_slot.h"

namespace bloomery::redis {
namespace {

// An entry has one field of this name. Its number in the stream is the beat of the head that it
// leads to, and how many bytes of entries the stream has had with it: "BEAT-BYTES".
constexpr std::string_view kField = "bloomery";

// Streams of others are left alone. An older copy of the string may have been put back, whose beat
// is below what the stream has: the stream begins anew.
constexpr std::string_view kKeepStep = R"(
local function keep(stream, beat, entry, most)
  local call = redis.pcall
  local function first_of(from, to, command)
    local said = call(command, stream, from, to, 'COUNT', 1)
    if said.err or #said == 0 then return nil, not said.err end
    if said[1][2][1] ~= 'bloomery' then return nil, false end
    return said[1], true
  end
  local function add(size)
    local number = beat .. '-' .. string.format('%.0f', size)
    local said = call('XADD', stream, number, 'bloomery', entry)
    return type(said) == 'string'
  end
  local function had(found) return tonumber(string.match(found[1], '%d+$')) end
  local last, is_ours = first_of('+', '-', 'XREVRANGE')
  if not is_ours then return end
  local size = #entry + (last and had(last) or 0)
  if not add(size) then
    call('DEL', stream)
    size = #entry
    if not add(size) then return end
  end
  local first = first_of('-', '+', 'XRANGE')
  while first and size - had(first) + #first[2][2] > tonumber(most) do
    call('XDEL', stream, first[1])
    first = first_of('-', '+', 'XRANGE')
  end
  call('PEXPIRE', stream, 600000)
end
)";

constexpr std::string_view kKeepThere = R"(
if redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) ~= ARGV[1] then return 0 end
keep(KEYS[2], ARGV[2], ARGV[3], ARGV[4])
return 1
)";

// An entry: version 1, flags 1 (1: a watermark before; 2: a watermark after), zeros 6, identity 16;
// source 16, position 8 and beat 8 before, and the same after; the hashes, 16 each.
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kIdentityAt = 8;
constexpr std::array<std::size_t, 2> kStatesAt{24, 56};
constexpr std::size_t kHashesAt = 88;

// The last number that an entry can have which leads to the state: its beat, and some byte count.
std::string number_behind(const StepState& state) {
  return std::to_string(state.beat) + "-18446744073709551615";
}

}  // namespace

StepState step_state(const NativeBitmapHead& head) {
  const FileNotes& notes = head.header.notes;
  return {.identity = notes.identity, .reached = notes.reached(), .beat = notes.beat};
}

std::string step_stream_key(const std::string& key) {
  if (hash_tag(key).size() != key.size()) return key + ":steps";
  if (!key.empty() && key.find('}') == std::string::npos) return "{" + key + "}.steps";
  // The braces of such a key let no tag be made of it.
  for (std::uint32_t number = 0;; ++number) {
    std::string stream = key + ":steps:" + std::to_string(number);
    if (hash_slot(stream) == hash_slot(key)) return stream;
  }
}

std::string encode_step(const StepState& before, const StepState& after,
                        std::span<const HashPair> hashes) {
  std::string entry(kHashesAt + hashes.size_bytes(), '\0');
  const auto bytes = std::as_writable_bytes(std::span(entry));
  put_number(bytes, 0, kVersion);
  put_number(bytes, kIdentityAt, before.identity.high);
  put_number(bytes, kIdentityAt + 8, before.identity.low);
  const std::array<const StepState*, 2> states{&before, &after};
  std::uint8_t flags = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const StepState& state = *states[i];
    if (state.reached) {
      flags = static_cast<std::uint8_t>(flags | 1U << i);
      put_number(bytes, kStatesAt[i], state.reached->source.high);
      put_number(bytes, kStatesAt[i] + 8, state.reached->source.low);
      put_number(bytes, kStatesAt[i] + 16, state.reached->position);
    }
    put_number(bytes, kStatesAt[i] + 24, state.beat);
  }
  put_number(bytes, 1, flags);
  if (!hashes.empty()) std::memcpy(entry.data() + kHashesAt, hashes.data(), hashes.size_bytes());
  return entry;
}

std::optional<StepEntry> decode_step(std::string_view entry) {
  if (entry.size() < kHashesAt || (entry.size() - kHashesAt) % sizeof(HashPair) != 0) {
    return std::nullopt;
  }
  const auto bytes = std::as_bytes(std::span(entry));
  if (get_number<std::uint8_t>(bytes, 0) != kVersion) return std::nullopt;
  const auto flags = get_number<std::uint8_t>(bytes, 1);
  StepEntry read;
  const std::array<StepState*, 2> states{&read.before, &read.after};
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto number = [&](std::size_t at) { return get_number<std::uint64_t>(bytes, at); };
    states[i]->identity = {number(kIdentityAt), number(kIdentityAt + 8)};
    states[i]->beat = number(kStatesAt[i] + 24);
    if ((flags >> i & 1) == 0) continue;
    states[i]->reached =
        Watermark{{number(kStatesAt[i]), number(kStatesAt[i] + 8)}, number(kStatesAt[i] + 16)};
  }
  // An entry that led nowhere, or back, could be read for ever.
  if (read.after.beat <= read.before.beat) return std::nullopt;
  read.hashes.resize((entry.size() - kHashesAt) / sizeof(HashPair));
  if (!read.hashes.empty()) {
    std::memcpy(read.hashes.data(), entry.data() + kHashesAt, entry.size() - kHashesAt);
  }
  return read;
}

std::string_view keep_step_script() noexcept {
  return kKeepStep;
}

void append_keep_step(Request& request, std::string_view key, const StepNote& note,
                      std::string_view head) {
  static const std::string script = std::string(kKeepStep).append(kKeepThere);
  request.add({"EVAL", script, "2", key, note.stream->key, head, std::to_string(note.beat),
               note.entry, std::to_string(note.stream->most_bytes)});
}

void append_step_question(Request& request, std::string_view stream, const StepState& behind,
                          std::size_t most_entries) {
  // The last number of two has no next one: then nothing is read, and the chain is broken.
  request.add(
      {"XRANGE", stream, number_behind(behind), "+", "COUNT", std::to_string(most_entries)});
}

void append_step_wait(Request& request, std::span<const StreamState> streams,
                      std::chrono::milliseconds wait) {
  // A copy that is far behind reads the rest with its look.
  constexpr std::string_view kMostEntries = "64";
  const std::string milliseconds = std::to_string(wait.count());
  std::vector<std::string> numbers;
  for (const StreamState& each : streams) numbers.push_back(number_behind(each.behind));
  std::vector<std::string_view> words{"XREAD", "COUNT",      kMostEntries,
                                      "BLOCK", milliseconds, "STREAMS"};
  for (const StreamState& each : streams) words.push_back(each.stream);
  words.insert(words.end(), numbers.begin(), numbers.end());
  request.add(words);
}

std::vector<std::vector<StepEntry>> read_awaited_steps(const Reply& reply,
                                                       std::span<const StreamState> streams) {
  std::vector<std::vector<StepEntry>> all(streams.size());
  for (const Reply& each : reply.elements) {
    if (each.elements.size() != 2) continue;
    const auto found = std::ranges::find(streams, each.elements[0].text, &StreamState::stream);
    if (found == streams.end()) continue;
    all[static_cast<std::size_t>(found - streams.begin())] = read_steps(each.elements[1]).entries;
  }
  return all;
}

StepReply read_steps(const Reply& reply) {
  StepReply read;
  if (!reply.is(Reply::Type::array)) return read;
  read.count = reply.elements.size();
  for (const Reply& each : reply.elements) {
    const bool is_entry = each.is(Reply::Type::array) && each.elements.size() == 2 &&
                          each.elements[1].is(Reply::Type::array) &&
                          each.elements[1].elements.size() == 2;
    if (!is_entry) return read;
    const auto& fields = each.elements[1].elements;
    if (!fields[0].is(Reply::Type::text) || fields[0].text != kField ||
        !fields[1].is(Reply::Type::text)) {
      return read;
    }
    auto entry = decode_step(fields[1].text);
    if (!entry) return read;
    read.entries.push_back(std::move(*entry));
  }
  return read;
}

}  // namespace bloomery::redis
