// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "module/redis_api.h"

// The memory of filters' bits. It comes from the server, which so counts it, as far as the server
// has a way to say no: its plain allocator ends the process when there is none. The rest is the
// machine's, and counted here.
//
// Servers from 7.4 on give cleared memory. Those of 7.0 and 7.2 give memory that is to be cleared
// by hand, and so large arrays are the machine's there, except where `maxmemory` has the server
// evict keys: it makes room for what it counts, and for nothing else. 6.2 can give none.
namespace bloomery::module {

// Makes HeapWords take its words from the server from now on. `api` must stay.
void use_server_memory(const Api& api);
// Takes that back, before the server drops a module that it has not loaded after all.
void leave_server_memory() noexcept;

// The part of a filter's arrays that the server does not count; for as long as this lives.
class UncountedMemory {
 public:
  UncountedMemory() = default;
  ~UncountedMemory();
  UncountedMemory(const UncountedMemory&) = delete;
  UncountedMemory& operator=(const UncountedMemory&) = delete;

  void add(std::uint64_t array_bytes) noexcept;
  void remove(std::uint64_t array_bytes) noexcept;  // which were added
  void add_own(std::uint64_t bytes) noexcept;       // of no array: no server counts these

 private:
  std::int64_t bytes_ = 0;
};

// While this lives, arrays that the server's `maxmemory` has no room for are refused with
// std::bad_alloc. A server that evicts has room for all that fits into `maxmemory`, as for values
// of its own: it evicts before the next command. Not for what a primary or a file says (is_replay):
// that is to be followed, but for a slot that moves.
class RespectMaxmemory {
 public:
  explicit RespectMaxmemory(Context* context) noexcept;
  ~RespectMaxmemory();
  RespectMaxmemory(const RespectMaxmemory&) = delete;
  RespectMaxmemory& operator=(const RespectMaxmemory&) = delete;
};

// The flags of the context of a command that a primary, or a file of commands, has decided already.
bool is_replay(int context_flags) noexcept;
// Returns whether the context is of a command by which another node gives a slot to this primary.
bool is_slot_move(int context_flags) noexcept;

// Returns whether the server, while it is a replica, evicts keys that its primary keeps: where
// `maxmemory` evicts and `replica-ignore-maxmemory` is off, which it is not by itself. Asks the
// server twice.
bool replica_evicts(Context* context);

// Keeps some memory for the server's callbacks that store, digest or measure a filter: they have no
// way to say that there is none, and an exception there would end the server. When `new` finds none
// it takes this. Called before every command, so that there is some again.
void keep_reserve() noexcept;

// Throws std::bad_alloc if these bytes would be too many, as far as is known beforehand.
void require_room(std::uint64_t byte_count);

}  // namespace bloomery::module
