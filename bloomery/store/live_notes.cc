// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/live_notes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "bloomery/bits/byte_order.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/store/machine_start.h"

namespace bloomery {
namespace {

using NotesWords = std::array<std::uint64_t, kLiveNotesBytes / sizeof(std::uint64_t)>;

constexpr std::size_t kPositionAt = 8;
constexpr std::size_t kSourceAt = 16;
constexpr std::size_t kBeatAt = 32;
constexpr std::size_t kChainBytesAt = 40;
constexpr std::size_t kChecksumAt = 44;
constexpr std::size_t kChainAt = 48;
constexpr std::size_t kWatermarkWords = kBeatAt / sizeof(std::uint64_t);

// How often a reader begins anew. A writer needs no longer than a few hundred stores; one that was
// killed is not waited for.
constexpr int kNotesAttempts = 1000;

std::atomic_ref<std::uint64_t> word_at(const std::byte* at, std::size_t index) noexcept {
  // atomic_ref takes no const object; a reader only loads.
  return std::atomic_ref(reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(at))[index]);
}

// Reads the words of one moment, but for the first.
bool read_words(const std::byte* at, std::span<std::uint64_t> words) noexcept {
  for (int attempt = 0; attempt < kNotesAttempts; ++attempt) {
    const std::uint64_t sequence = word_at(at, 0).load(std::memory_order_acquire);
    if (sequence == 0) return false;
    if (sequence % 2 != 0) continue;
    for (std::size_t i = 1; i < words.size(); ++i) {
      words[i] = word_at(at, i).load(std::memory_order_relaxed);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (word_at(at, 0).load(std::memory_order_relaxed) == sequence) return true;
  }
  return false;
}

std::optional<Watermark> watermark_of(std::span<const std::byte> bytes) noexcept {
  const Identity source{get_number<std::uint64_t>(bytes, kSourceAt),
                        get_number<std::uint64_t>(bytes, kSourceAt + 8)};
  if (!source.is_set()) return std::nullopt;
  return Watermark{source, get_number<std::uint64_t>(bytes, kPositionAt)};
}

std::uint32_t checksum_of(std::span<const std::byte> bytes, std::size_t chain_bytes) noexcept {
  const std::uint32_t sum = crc32c(bytes.subspan(kPositionAt, kChecksumAt - kPositionAt));
  return crc32c(bytes.subspan(kChainAt, chain_bytes), sum);
}

std::optional<LiveNotes> decode(std::span<const std::byte> bytes) {
  const auto chain_bytes = get_number<std::uint32_t>(bytes, kChainBytesAt);
  if (chain_bytes > kMostLiveChain ||
      checksum_of(bytes, chain_bytes) != get_number<std::uint32_t>(bytes, kChecksumAt)) {
    return std::nullopt;
  }
  LiveNotes notes{.reached = watermark_of(bytes),
                  .beat = get_number<std::uint64_t>(bytes, kBeatAt)};
  notes.chain.assign(reinterpret_cast<const char*>(bytes.data() + kChainAt), chain_bytes);
  return notes;
}

}  // namespace

std::uint64_t live_sequence(const std::byte* at) noexcept {
  return word_at(at, 0).load(std::memory_order_relaxed);
}

void write_live_notes(std::byte* at, const LiveNotes& notes) noexcept {
  NotesWords words{};
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(words));
  if (notes.reached) {
    put_number(bytes, kPositionAt, notes.reached->position);
    put_number(bytes, kSourceAt, notes.reached->source.high);
    put_number(bytes, kSourceAt + 8, notes.reached->source.low);
  }
  put_number(bytes, kBeatAt, notes.beat);
  const std::size_t chain_bytes = notes.chain.size() <= kMostLiveChain ? notes.chain.size() : 0;
  put_number(bytes, kChainBytesAt, static_cast<std::uint32_t>(chain_bytes));
  std::memcpy(bytes.data() + kChainAt, notes.chain.data(), chain_bytes);
  put_number(bytes, kChecksumAt, checksum_of(bytes, chain_bytes));

  const std::uint64_t writing = word_at(at, 0).load(std::memory_order_relaxed) | 1;
  word_at(at, 0).store(writing, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  const std::size_t end = (kChainAt + chain_bytes + 7) / sizeof(std::uint64_t);
  for (std::size_t i = 1; i < end; ++i) word_at(at, i).store(words[i], std::memory_order_relaxed);
  word_at(at, 0).store(writing + 1, std::memory_order_release);
}

std::optional<Watermark> live_watermark(const std::byte* at) noexcept {
  std::array<std::uint64_t, kWatermarkWords> words{};
  if (!read_words(at, words)) return std::nullopt;
  return watermark_of(std::as_bytes(std::span(words)));
}

std::optional<LiveNotes> live_notes(const std::byte* at) {
  NotesWords words{};
  if (!read_words(at, words)) return std::nullopt;
  return decode(std::as_bytes(std::span(words)));
}

// Bytes that are read beside a writer may be of two moments. Then their checksum does not hold, or
// somebody has written on meanwhile.
void take_live_notes(FileHeader& header, const RegularFile& file) {
  if (!header.live || !header.live->has_notes) return;
  // The notes of an earlier start of the machine may have come to the disk without their bits.
  if (header.live->boot != boot_id()) return;
  for (int attempt = 0; attempt < kNotesAttempts; ++attempt) {
    NotesWords words{};
    NotesWords again{};
    file.read(std::as_writable_bytes(std::span(words)), kLiveNotesAt);
    file.read(std::as_writable_bytes(std::span(again)), kLiveNotesAt);
    if (words.front() == 0) return;
    if (words != again || words.front() % 2 != 0) continue;
    if (auto notes = decode(std::as_bytes(std::span(words)))) {
      return take_live_notes(header, notes);
    }
  }
}

void take_live_notes(FileHeader& header, const std::optional<LiveNotes>& notes) {
  if (!notes) return;
  header.notes.step(notes->reached, 0);
  header.notes.beat = notes->beat;
  header.chain = notes->chain;
}

}  // namespace bloomery
