// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/hash/hash_pair.h"
#include "bloomery/place/watermark.h"
#include "bloomery/text/key_form.h"
#include "module/server_memory.h"

namespace bloomery::module {

// The hashes of the keys that came into one filter of late, for copies elsewhere (BLOOM.DELTA). It
// belongs to the filter in memory: nothing stores, replicates or copies it. So what a restart,
// RESTORE, COPY, a failover or a load makes has no ring, and gets one of another name.
//
// Entries are counted by a sequence number, from 0. An entry is a hash, or a step of the watermark
// without one. A ring under a name has every entry from 0 on, or says that it has forgotten.
//
// One thread uses it: that which the server runs commands in. Any thread may destroy it.
class DeltaRing {
 public:
  DeltaRing();
  ~DeltaRing();
  DeltaRing(const DeltaRing&) = delete;
  DeltaRing& operator=(const DeltaRing&) = delete;

  // The state of the filter that a name stands for. With another one, copies by this name are no
  // copies any more.
  struct Basis {
    std::uint64_t capacity = 0;
    KeyForm keys{};

    friend bool operator==(const Basis&, const Basis&) = default;
  };

  // Gives the ring, before each question, a name and room for `most_bytes` of hashes if it has
  // none. Throws std::bad_alloc if the server has no room.
  void ask(const Basis& basis, std::uint64_t most_bytes);

  // Returns the name, which is not set while nobody asks; nothing is kept then.
  const Identity& name() const noexcept { return name_; }
  std::uint64_t sequence() const noexcept { return next_; }
  // Returns whether every entry from `since` on is here.
  bool has_since(std::uint64_t since) const noexcept {
    return since <= next_ && next_ - since <= kept_;
  }
  // The hashes of `count` entries from `since` on, 16 bytes each: h1, h2, little-endian.
  std::vector<std::byte> hashes(std::uint64_t since, std::uint64_t count) const;

  void add(HashPair hash) noexcept {
    // A hash of zeros would be taken for a step.
    if ((hash.h1 | hash.h2) == 0) [[unlikely]]
      return forget();
    put(hash);
  }
  // The watermark moved.
  void step() noexcept { put({0, 0}); }
  // Forgets, after a change, if the filter is no longer what the name stands for.
  void require(const Basis& basis) noexcept {
    if (name_.is_set() && basis != basis_) forget();
  }
  // Gives up name and memory: bits changed that no hash tells of.
  void forget() noexcept;

  std::uint64_t byte_count() const noexcept;

  // Forgets all rings that nobody asked since `milliseconds`. Returns whether any is left.
  static bool forget_unasked(std::uint64_t milliseconds);

 private:
  void put(HashPair entry) noexcept {
    if (!name_.is_set()) return;
    ++next_;
    if (room_ == 0) return;
    entries_[at_] = entry;
    if (++at_ == room_) at_ = 0;
    if (kept_ < room_) ++kept_;
  }

  Identity name_{};
  Basis basis_{};
  HeapWords words_;
  HashPair* entries_ = nullptr;  // in words_; entry s is at s modulo their number
  std::uint64_t room_ = 0;       // of entries
  std::uint64_t at_ = 0;         // where the next one goes
  std::uint64_t next_ = 0;
  std::uint64_t kept_ = 0;
  std::uint64_t asked_ms_ = 0;
  UncountedMemory memory_;
};

// Milliseconds of a clock that never goes back.
std::uint64_t steady_now_ms() noexcept;

}  // namespace bloomery::module
