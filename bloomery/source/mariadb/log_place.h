// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "bloomery/place/call_context.h"
#include "bloomery/source/mariadb/gtid_state.h"
#include "bloomery/source/mariadb/mariadb_connection.h"

// Places in a binary log: from where to read it, and up to where everybody sees it.
namespace bloomery::mariadb {

// A place in the log, and what stands before it.
struct LogPlace {
  LogFile file;
  std::uint32_t offset = kBegin;
  GtidState state;

  static constexpr std::uint32_t kBegin = 4;
};

// Returns the place of an offset in a file of the log; nothing where the file is gone.
std::optional<LogPlace> place_of(Connection& connection, const LogFile& file, std::uint64_t offset,
                                 const CallContext& context);

// The offset that a server says. Throws StoreError for what is none.
std::uint64_t offset_in(const Connection& connection, std::string_view text);

// VisiblePlace: up to where in the log a new snapshot sees, as the server says. Transactions are in
// the log before they can be seen, so where the log ends now may be ahead of every snapshot.
struct VisiblePlace {
  LogFile file;
  std::uint64_t offset = 0;

  bool operator==(const VisiblePlace& other) const {
    return file.number == other.file.number && offset == other.offset;
  }
};

VisiblePlace visible_place(Connection& connection, const CallContext& context);

struct VisibleState {
  GtidState state;
  LogPlace begin;  // at or before it
};

VisibleState visible_state(Connection& connection, const CallContext& context);

// Waits until a new snapshot sees all that stands in the log now, as the server says. Throws
// StoreError where that takes too long. `meanwhile` is called now and then; once it wants no more,
// the wait ends, and the answer is false.
bool wait_until_visible(Connection& connection, const std::function<bool()>& meanwhile,
                        const CallContext& context);

// The oldest part of the log that may have commits which nobody sees yet.
LogFile oldest_unseen(Connection& connection, const LogFile& newest, const CallContext& context);

}  // namespace bloomery::mariadb
