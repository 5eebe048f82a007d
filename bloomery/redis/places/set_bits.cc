// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/set_bits.h"

#include <algorithm>

#include "bloomery/bits/byte_order.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/lines.h"
#include "bloomery/redis/places/live_bitmap.h"
#include "bloomery/redis/places/trailer.h"

namespace bloomery::redis {
namespace {

// `kYes`: the bit was set, or the step was taken. `kNo`: the bit was clear, or the step was not
// taken. No single bit that changes on the way makes one of the other.
constexpr char kYes = '-';
constexpr char kNo = 'N';

// ARGV: how long the string is, its geometry, and what is to be set; the head that must be there
// for a step, and the one that takes its place, or nothing.
constexpr std::string_view kIsNative = R"(
local key, what, were, olds = KEYS[1], ARGV[3], {}, {}
local old, new, from = ARGV[4], ARGV[5], 0
if redis.call('STRLEN', key) ~= tonumber(ARGV[1]) then return 0 end
local head = redis.call('GETRANGE', key, 0, 31)
if head:sub(1, 9) .. head:sub(11, 14) .. head:sub(17, 32) ~= ARGV[2] then return 0 end
)";

// KEYS: the bitmap; its configuration and its counters, if it has them. ARGV: how long it may be,
// with what its trailer begins, or nothing, and what is to be set; the trailer that must be there
// for a step, and the one that takes its place, or nothing; how long the bitmap must be, how many
// keys have to be missing, and names and values of the configuration.
static_assert(kTrailerBytes == 80, "the script says it, too");
constexpr std::string_view kIsForeign = R"(
local key, what, were, olds = KEYS[1], ARGV[3], {}, {}
local length, most, trailer = redis.call('STRLEN', key), tonumber(ARGV[1]), ARGV[2]
local old, new, from = ARGV[4], ARGV[5], most - 80
if length > most or length < tonumber(ARGV[6]) then return 0 end
if #trailer > 0 then
  if length < most then return 0 end
  if redis.call('GETRANGE', key, from, from + #trailer - 1) ~= trailer then return 0 end
end
for i = 8, #ARGV, 2 do
  if redis.call('HMGET', KEYS[2], ARGV[i])[1] ~= ARGV[i + 1] then return 0 end
end
for i = #KEYS - tonumber(ARGV[7]) + 1, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 then return 0 end
end
)";

// `what`: for each run of lines that are near each other where it begins, in four bytes, how many
// bytes it has and how many lines are to change, in two each; and for each of those where in the
// run it is, in two bytes, and 64 of a mask. The first lines that change are kept as they were.
static_assert(SetAnswer::kOldLines == 8, "the script says it, too");
constexpr std::string_view kSetLines = R"(
local call, unpack, pack, bor = redis.call, struct.unpack, struct.pack, bit.bor
local words = string.rep('I4', 16)
local all, these = '<' .. words, '<' .. words:lower()
local i = 1
while i <= #what do
  local at, length, count = unpack('<I4I2I2', what, i)
  i = i + 8
  local run = call('GETRANGE', key, at, at + length - 1)
  local pieces, done, changed, old = {}, 0, false
  for _ = 1, count do
    local here = unpack('<I2', what, i)
    if here < done then
      old = table.remove(pieces)
    else
      if here > done then pieces[#pieces + 1] = run:sub(done + 1, here) end
      old, done = run:sub(here + 1, here + 64), here + 64
    end
    local a, b, c, d, e, f, g, h, A, B, C, D, E, F, G, H = unpack(all, old)
    local s, t, u, v, w, x, y, z, S, T, U, V, W, X, Y, Z = unpack(all, what, i + 2)
    local now = pack(these, bor(a, s), bor(b, t), bor(c, u), bor(d, v), bor(e, w), bor(f, x),
                     bor(g, y), bor(h, z), bor(A, S), bor(B, T), bor(C, U), bor(D, V),
                     bor(E, W), bor(F, X), bor(G, Y), bor(H, Z))
    were[#were + 1] = now == old and '-' or 'N'
    if now ~= old then
      changed = true
      if #olds < 8 then olds[#olds + 1] = old end
    end
    pieces[#pieces + 1] = now
    i = i + 66
  end
  if changed then call('SETRANGE', key, at, table.concat(pieces)) end
end
)";

// `what`: where each bit is, in four bytes. A thousand at once, as Lua hands on 8,000 words at the
// most.
constexpr std::string_view kSetBits = R"(
for first = 1, #what, 4000 do
  local words, size = {}, 0
  for i = first, math.min(first + 3996, #what), 4 do
    words[size + 1], words[size + 2], words[size + 4] = 'SET', 'i1', '-1'
    words[size + 3] = struct.unpack('<I4', what, i)
    size = size + 4
  end
  for _, bit in ipairs(redis.call('BITFIELD', key, unpack(words))) do
    were[#were + 1] = bit == 0 and 'N' or '-'
  end
end
)";

// In the same script, so that there is no step where setting the bits failed.
constexpr std::string_view kStep = R"(
local step = 'N'
if #old > 0 and redis.call('GETRANGE', key, from, from + #old - 1) == old then
  redis.call('SETRANGE', key, from, new)
  step = '-'
end
)";
constexpr std::string_view kAnswer = R"(
return step .. table.concat(were) .. table.concat(olds)
)";
// KEYS[2]: the stream beside the string. ARGV: the beat that the step leads to, its entry, and how
// many bytes the stream may have.
constexpr std::string_view kNote = R"(
if step == '-' then keep(KEYS[2], ARGV[6], ARGV[7], ARGV[8]) end
)";

std::string script_of(std::string_view looks, std::string_view sets) {
  return std::string(looks).append(sets).append(kStep).append(kAnswer);
}
std::string noting_script_of(std::string_view looks, std::string_view sets) {
  return std::string(keep_step_script())
      .append(looks)
      .append(sets)
      .append(kStep)
      .append(kNote)
      .append(kAnswer);
}

// Runs the script that sets what `what` says, or the one that also notes the step.
void append_native(Request& request, std::string_view script, std::string_view noting_script,
                   const NativeString& filter, std::string_view what, const ByteStep& step,
                   const StepNote& note) {
  const std::string length = std::to_string(filter.byte_count);
  if (note.entry.empty()) {
    request.add(
        {"EVAL", script, "1", filter.key, length, filter.geometry, what, step.old, step.next});
    return;
  }
  request.add({"EVAL", noting_script, "2", filter.key, note.stream->key, length, filter.geometry,
               what, step.old, step.next, std::to_string(note.beat), note.entry,
               std::to_string(note.stream->most_bytes)});
}

template <class Number>
void put(std::string& bytes, std::uint64_t number) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(Number));
  put_number(std::as_writable_bytes(std::span(bytes)), at, static_cast<Number>(number));
}

struct Line {
  std::uint64_t number;
  std::size_t first_bit;
  std::size_t behind_bits;
};

// Lines in between are written as they were, which costs the server less than a command, and its
// replicas as much.
constexpr std::uint64_t kLargestGap = 4;
constexpr std::uint64_t kLinesInRun = 512;

using Lines = std::vector<Line>::const_iterator;
Lines end_of_run(Lines begin, Lines end) {
  Lines next = begin + 1;
  while (next != end && next->number >= (next - 1)->number &&
         next->number - (next - 1)->number <= kLargestGap &&
         next->number - begin->number < kLinesInRun) {
    ++next;
  }
  return next;
}

// A string has 512 MiB at the most, so that this is enough for a bit.
std::string packed(std::span<const std::uint64_t> offsets) {
  std::string bytes;
  bytes.reserve(4 * offsets.size());
  for (const std::uint64_t each : offsets) put<std::uint32_t>(bytes, each);
  return bytes;
}

}  // namespace

std::uint64_t random_step() {
  return (Identity::random().low & 0xffffffff) + 1;
}

void append_set_lines(Request& request, const NativeString& filter, std::uint64_t body_offset,
                      const KeyBits& bits, const ByteStep& step, const StepNote& note) {
  static const std::string script = script_of(kIsNative, kSetLines);
  static const std::string noting = noting_script_of(kIsNative, kSetLines);
  std::vector<Line> lines;
  lines.reserve(bits.size());
  for_each_line(bits, [&](std::uint64_t line, std::size_t at, std::size_t end) {
    lines.push_back({line, at, end});
  });
  std::string what;
  what.reserve((kLineBytes + 10) * lines.size());
  for (auto begin = lines.cbegin(); begin != lines.cend();) {
    const auto behind = end_of_run(begin, lines.cend());
    put<std::uint32_t>(what, body_offset + begin->number * kLineBytes);
    put<std::uint16_t>(what, ((behind - 1)->number - begin->number + 1) * kLineBytes);
    put<std::uint16_t>(what, static_cast<std::uint64_t>(behind - begin));
    for (auto line = begin; line != behind; ++line) {
      put<std::uint16_t>(what, (line->number - begin->number) * kLineBytes);
      const std::size_t mask = what.size();
      what.resize(mask + kLineBytes);
      for (std::size_t at = line->first_bit; at < line->behind_bits; ++at) {
        const std::uint64_t bit = bits.positions[at] % (8 * kLineBytes);
        char& byte = what[mask + bit / 8];
        byte = static_cast<char>(static_cast<unsigned char>(byte) | 1U << bit % 8);
      }
    }
    begin = behind;
  }
  append_native(request, script, noting, filter, what, step, note);
}

void append_set_bits(Request& request, const NativeString& filter,
                     std::span<const std::uint64_t> offsets, const ByteStep& step,
                     const StepNote& note) {
  static const std::string script = script_of(kIsNative, kSetBits);
  static const std::string noting = noting_script_of(kIsNative, kSetBits);
  append_native(request, script, noting, filter, packed(offsets), step, note);
}

void append_set_bits(Request& request, const LiveBitmap& filter, std::uint64_t least_bytes,
                     std::span<const std::uint64_t> offsets, const ByteStep& step) {
  static const std::string script = script_of(kIsForeign, kSetBits);
  // The bytes of a trailer that say of which bitmap it is: magic, bit count and probe count. The
  // watermark stands behind them.
  constexpr std::size_t kBeginning = 20;
  std::string trailer;
  if (filter.has_trailer) trailer = trailer_bytes({}, filter.parameters).substr(0, kBeginning);
  const std::uint64_t most =
      trailer_offset(filter.parameters) + (filter.has_trailer ? kTrailerBytes : 0);
  const std::string length = std::to_string(most);
  const std::string bits = packed(offsets);
  const std::string least = std::to_string(least_bytes);
  std::vector<std::string_view> keys{filter.key};
  if (!filter.config_key.empty()) keys.push_back(filter.config_key);
  if (!filter.counts_key.empty()) keys.push_back(filter.counts_key);
  const std::string key_count = std::to_string(keys.size());
  std::vector<std::string_view> words{"EVAL", script, key_count};
  words.insert(words.end(), keys.begin(), keys.end());
  words.insert(words.end(), {length, trailer, bits, step.old, step.next, least,
                             filter.counts_key.empty() ? "0" : "1"});
  for (const ConfigField& field : filter.config) {
    words.insert(words.end(), {field.name, field.value});
  }
  request.add(words);
}

SetAnswer read_set(const Reply& reply, std::size_t count, bool by_lines, const std::string& name) {
  if (reply.is(Reply::Type::number) && reply.number == 0) return {};
  if (!reply.is(Reply::Type::text) || reply.text.size() < 1 + count) fail_answer(name, "its bits");
  SetAnswer answer{.has_set = true};
  answer.were_set.reserve(count);
  const auto says = [&](char said) {
    if (said != kYes && said != kNo) fail_answer(name, "a bit");
    return said == kYes;
  };
  answer.has_stepped = says(reply.text[0]);
  for (const char each : std::string_view(reply.text).substr(1, count)) {
    answer.were_set.push_back(says(each));
  }
  answer.old_lines = reply.text.substr(1 + count);
  const auto changed = static_cast<std::size_t>(std::ranges::count(answer.were_set, false));
  const std::size_t lines = by_lines ? std::min(changed, SetAnswer::kOldLines) : 0;
  if (answer.old_lines.size() != kLineBytes * lines) fail_answer(name, "lines as they were");
  return answer;
}

}  // namespace bloomery::redis
