// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "bloomery/filter/filter_contents.h"
#include "bloomery/format/native/file_notes.h"
#include "bloomery/redis/client/client.h"

namespace bloomery::redis {

// A step takes longer than a question.
inline constexpr std::chrono::seconds kPushTimeout{30};

struct PushOptions {
  FileNotes notes{};
  std::string prefix{};  // that the module was loaded with; empty: none
  std::function<void(std::uint64_t sent_bytes, std::uint64_t all_bytes)> progress{};
  std::string load_id{};  // of begin_push(); empty: begins by itself
  // False: a filter that is there stays, and is a StoreError. What is added to none is not lost.
  bool replaces = true;
};

// All of these speak of the key of the client's location, and every step of theirs, of which one is
// four megabytes of a filter, is bounded by its time-out. They throw StoreError.

// Tells the server that a filter for the key is about to be built, and returns the name of that
// load. From now on the server keeps what is added to the key, and adds it to the filter that
// push_filter() brings under this name: begun before the keys are read, nothing is lost that comes
// while they are. The load ends by itself a day after its last step.
std::string begin_push(Client& server, const PushOptions& options = {});

// Gives up the load `options.load_id` of begin_push(), as far as the server can be reached: else it
// ends by itself.
void abort_push(Client& server, const PushOptions& options) noexcept;

// Puts a filter into a key of a server with bloomery's module (BLOOM.LOAD), in pieces. The key's
// old filter serves until the new one is there, whole and checked, and then is gone. What is added
// to the key meanwhile is in the new one too; what was added between the reading of the keys and
// this call only with begin_push(). Follows the key through a cluster. If it throws, the key is as
// it was; only where the answer to the last step was lost, nobody knows. Returns the bytes that
// were sent.
std::uint64_t push_filter(const FilterContents& contents, Client& server,
                          const PushOptions& options = {});

// Makes an empty filter, as what it is given is, where nothing is. Throws RefusedError where
// something is.
void reserve_filter(const FilterContents& empty, Client& server);

}  // namespace bloomery::redis
