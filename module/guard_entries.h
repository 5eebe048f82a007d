// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "module/guard_arguments.h"
#include "module/guard_filter.h"
#include "module/guard_server.h"

// Entries and leases of the guard, as docs/guard_protocol.md has their bytes.
namespace bloomery::module {

inline constexpr std::size_t kGuardTokenSize = 32;

// The answer about one row.
struct GuardAnswer {
  const char* what = "";  // absent, value, none, lease, wait or open
  GuardPresence presence = GuardPresence::none;
  std::string value{};
  std::string id{};             // of a lease that goes with it
  const char* why = nullptr;    // it is open
  std::int64_t wait_ms = 0;     // at most
  std::string held_by_other{};  // the lease that is waited for
};

// Answers `get`. Argument 3 is set behind a fence, 4 is the token, 5 the lease's life.
class GuardReader {
 public:
  // `may_take`: false takes no lease, and a row that needs one is waited for.
  GuardReader(GuardServer& server, const GuardArguments& arguments, bool may_take)
      : server_(server), arguments_(arguments), may_take_(may_take) {}

  // Throws Refusal where the server refuses to be read.
  std::vector<GuardAnswer> answers();

 private:
  GuardAnswer answer(std::size_t row, GuardPresence presence, std::string_view entry,
                     std::optional<std::string_view> lease);
  GuardAnswer wait_for(std::size_t row, GuardAnswer answer, std::string_view lease);
  std::optional<std::string> take(std::size_t row);

  GuardServer& server_;
  const GuardArguments& arguments_;
  const bool may_take_;
  std::string moment_{};  // of the leases that it took
};

// The marks of announced inserts that a lease has: those that hold now, but for the token's.
struct GuardMarks {
  std::string others{};
  std::int64_t last = 0;  // moment of the others
  std::size_t count = 0;
  bool has_own = false;  // and it holds
};
GuardMarks marks_of(std::optional<std::string_view> lease, std::string_view token,
                    std::int64_t now_ms);

// Writes marks, which are not empty, that end after `life_ms`. Throws Refusal.
void write_marks(GuardServer& server, String* lease, std::string_view marks, std::int64_t life_ms);

// The string at a key, or nothing, also where something else is there.
std::optional<std::string> guard_string(GuardServer& server, String* key);

// Returns whether the lease is the one of this id.
bool holds_lease(GuardServer& server, String* lease, std::string_view id);

// How many of it were there. Throws Refusal.
std::int64_t delete_guard_string(GuardServer& server, String* key);

}  // namespace bloomery::module
