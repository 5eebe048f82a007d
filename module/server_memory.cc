// SPDX-License-Identifier: Apache-2.0
#include "module/server_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "bloomery/bits/heap_words.h"
#include "bloomery/bits/memory_limit.h"

namespace bloomery::module {
namespace {

constexpr std::uint64_t kLarge = std::uint64_t{4} << 20;     // worth a mapping: not cleared by hand
constexpr std::uint64_t kAsksFrom = std::uint64_t{1} << 20;  // the answer takes microseconds

const Api* the_api = nullptr;
Context* respected_for = nullptr;  // asked of only where memory is: most commands need none
std::atomic<std::int64_t> uncounted_bytes{0};  // filters are freed in a thread of the server's

// The server's limit and use of memory.
struct Limits {
  std::uint64_t most = 0;  // 0: no limit
  std::uint64_t used = 0;
  bool evicts = false;
};
Limits limits() noexcept {
  ServerInfo* const info = the_api->get_server_info(nullptr, "memory");
  int error = 0;
  Limits limits;
  limits.most = the_api->info_number(info, "maxmemory", &error);
  limits.used = the_api->info_number(info, "used_memory", &error);
  const char* const policy = the_api->info_text(info, "maxmemory_policy");
  limits.evicts = limits.most != 0 && policy != nullptr && std::string_view(policy) != "noeviction";
  the_api->free_server_info(nullptr, info);
  return limits;
}

bool server_gives(std::uint64_t byte_count) noexcept {
  if (the_api == nullptr) return false;
  if (the_api->try_calloc != nullptr) return true;
  return the_api->try_alloc != nullptr && (byte_count < kLarge || limits().evicts);
}

void* take(std::uint64_t byte_count) {
  require_room(byte_count);
  if (!server_gives(byte_count)) return nullptr;
  void* const bytes = the_api->try_calloc != nullptr ? the_api->try_calloc(1, byte_count)
                                                     : the_api->try_alloc(byte_count);
  if (bytes == nullptr) throw std::bad_alloc();
  if (the_api->try_calloc == nullptr) std::memset(bytes, 0, byte_count);
  return bytes;
}

// The reserve: more than a callback takes at a time. Untouched, so no memory of the machine's.
constexpr std::size_t kReserveBytes = std::size_t{24} << 20;
std::atomic<void*> reserve{nullptr};
std::new_handler next_handler = nullptr;

void use_reserve() {
  if (void* const bytes = reserve.exchange(nullptr); bytes != nullptr) {
    std::free(bytes);
    return;
  }
  if (next_handler == nullptr) throw std::bad_alloc();
  next_handler();
}

void give_back(void* bytes) noexcept {
  the_api->free(bytes);
}

}  // namespace

void use_server_memory(const Api& api) {
  the_api = &api;
  HeapWords::use_host({take, give_back});
  if (std::get_new_handler() != use_reserve) next_handler = std::set_new_handler(use_reserve);
  keep_reserve();
}

void leave_server_memory() noexcept {
  if (std::get_new_handler() == use_reserve) std::set_new_handler(std::exchange(next_handler, {}));
  std::free(reserve.exchange(nullptr));
}

UncountedMemory::~UncountedMemory() {
  uncounted_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
}

void UncountedMemory::add(std::uint64_t array_bytes) noexcept {
  if (server_gives(array_bytes)) return;
  bytes_ += static_cast<std::int64_t>(array_bytes);
  uncounted_bytes.fetch_add(static_cast<std::int64_t>(array_bytes), std::memory_order_relaxed);
}

void UncountedMemory::add_own(std::uint64_t bytes) noexcept {
  bytes_ += static_cast<std::int64_t>(bytes);
  uncounted_bytes.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
}

void UncountedMemory::remove(std::uint64_t array_bytes) noexcept {
  if (server_gives(array_bytes)) return;
  // An array that was added under another policy is not counted in bytes_.
  const std::int64_t bytes = std::min(bytes_, static_cast<std::int64_t>(array_bytes));
  bytes_ -= bytes;
  uncounted_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

void keep_reserve() noexcept {
  if (reserve.load(std::memory_order_relaxed) != nullptr) return;
  void* const bytes = std::malloc(kReserveBytes);
  void* none = nullptr;
  if (bytes != nullptr && !reserve.compare_exchange_strong(none, bytes)) std::free(bytes);
}

RespectMaxmemory::RespectMaxmemory(Context* context) noexcept {
  respected_for = context;
}

RespectMaxmemory::~RespectMaxmemory() {
  respected_for = nullptr;
}

bool is_replay(int context_flags) noexcept {
  return (context_flags & (kFromPrimary | kLoading)) != 0;
}

// Tells a slot move from the link of a replica to its primary.
bool is_slot_move(int context_flags) noexcept {
  return (context_flags & kFromPrimary) != 0 && (context_flags & kReplica) == 0;
}

bool replica_evicts(Context* context) {
  if (!limits().evicts) return false;
  CallReply* const reply =
      the_api->call(context, "CONFIG", "cc", "GET", "replica-ignore-maxmemory");
  if (reply == nullptr) return false;  // CONFIG has another name: as it is unless somebody said so
  std::size_t size = 0;
  CallReply* const value = the_api->reply_element(reply, 1);
  const char* const text = value == nullptr ? nullptr : the_api->reply_text(value, &size);
  const bool evicts = text != nullptr && std::string_view(text, size) == "no";
  the_api->free_reply(reply);
  return evicts;
}

void require_room(std::uint64_t byte_count) {
  if (byte_count > memory_limit()) throw std::bad_alloc();
  if (respected_for == nullptr || byte_count < kAsksFrom) return;
  const int flags = the_api->context_flags(respected_for);
  if (is_replay(flags) && !is_slot_move(flags)) return;
  const Limits server = limits();
  if (server.most == 0) return;
  const auto beside = static_cast<std::uint64_t>(uncounted_bytes.load(std::memory_order_relaxed));
  const std::uint64_t stays = beside + (server.evicts ? 0 : server.used);
  if (stays > server.most || byte_count > server.most - stays) throw std::bad_alloc();
}

}  // namespace bloomery::module
