// SPDX-License-Identifier: Apache-2.0
#include "module/delta_ring.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <utility>

#include "bloomery/bits/byte_order.h"

namespace bloomery::module {
namespace {

constexpr std::size_t kEntryBytes = 16;

// All rings there are. Filters are freed in a thread of the server's.
std::mutex all_mutex;
std::set<DeltaRing*>& all() {
  static auto* const rings = new std::set<DeltaRing*>;  // outlives threads that free filters
  return *rings;
}

}  // namespace

std::uint64_t steady_now_ms() noexcept {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(
      duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count());
}

DeltaRing::DeltaRing() {
  const std::scoped_lock lock(all_mutex);
  all().insert(this);
}

DeltaRing::~DeltaRing() {
  const std::scoped_lock lock(all_mutex);
  all().erase(this);
}

void DeltaRing::ask(const Basis& basis, std::uint64_t most_bytes) {
  asked_ms_ = steady_now_ms();
  require(basis);
  if (name_.is_set()) return;
  const Identity name = Identity::random();
  const std::uint64_t room = most_bytes / kEntryBytes;
  HeapWords words(2 * room);
  words_ = std::move(words);
  memory_.add(words_.words().size_bytes());
  entries_ = reinterpret_cast<HashPair*>(words_.words().data());
  room_ = room;
  at_ = 0;
  next_ = 0;
  kept_ = 0;
  basis_ = basis;
  name_ = name;
}

void DeltaRing::forget() noexcept {
  name_ = {};
  memory_.remove(words_.words().size_bytes());
  words_ = HeapWords();
  entries_ = nullptr;
  room_ = 0;
  kept_ = 0;
}

std::vector<std::byte> DeltaRing::hashes(std::uint64_t since, std::uint64_t count) const {
  std::vector<std::byte> bytes;
  bytes.reserve(kEntryBytes * count);
  for (std::uint64_t entry = since; entry != since + count; ++entry) {
    const HashPair& hash = entries_[entry % room_];
    if ((hash.h1 | hash.h2) == 0) continue;  // a step
    bytes.resize(bytes.size() + kEntryBytes);
    const auto to = std::span(bytes).last(kEntryBytes);
    put_number(to, 0, hash.h1);
    put_number(to, sizeof hash.h1, hash.h2);
  }
  return bytes;
}

std::uint64_t DeltaRing::byte_count() const noexcept {
  return sizeof *this + words_.words().size_bytes();
}

bool DeltaRing::forget_unasked(std::uint64_t milliseconds) {
  const std::uint64_t now = steady_now_ms();
  bool is_any_left = false;
  const std::scoped_lock lock(all_mutex);
  for (DeltaRing* const ring : all()) {
    if (ring->name_.is_set() && now - ring->asked_ms_ >= milliseconds) ring->forget();
    is_any_left = is_any_left || ring->name_.is_set();
  }
  return is_any_left;
}

}  // namespace bloomery::module
