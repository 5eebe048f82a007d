// SPDX-License-Identifier: Apache-2.0
#include "module/guard_commands.h"

#include <array>
#include <span>

#include "module/command.h"
#include "module/guard_docs.h"
#include "module/guard_verbs.h"
#include "module/settings.h"

namespace bloomery::module {
namespace {

constexpr const char* kSince = "1.0.0";
constexpr const char* kEachRow = "O(k), with k rows";
constexpr std::uint64_t kChanges = kKeyReadWrite | kKeyAccess | kKeyUpdate;

// The commands run, as scripts do, where writing is refused, and answer so; what they write is
// refused or passed on as a script's is.
constexpr const char* kAsAScript = "may-replicate allow-stale getkeys-api";

// Tells where the keys are. A cluster asks so; by the description alone it finds none.
void tell_keys(Context* context, std::span<String* const> words) noexcept {
  if (words.size() < 3) return;
  const auto count = parse_integer(Call(context, words).word(1));
  const auto most = static_cast<std::int64_t>(words.size()) - 2;
  for (std::int64_t i = 0; count && *count <= most && i < *count; ++i) {
    api().key_at(context, static_cast<int>(2 + i));
  }
}

template <void (*verb)(Call&)>
int run_verb(Context* context, String** words, int count) noexcept {
  if (api().asks_for_keys(context) == 0) return run<verb, 3, kAny>(context, words, count);
  tell_keys(context, {words, static_cast<std::size_t>(count)});
  return kOk;
}

template <void (*verb)(Call&)>
constexpr Command make_verb(const char* name, const char* summary, const Argument* arguments,
                            std::uint64_t keys = kChanges,
                            const char* categories = "write bloomery") {
  return {name,        run_verb<verb>, -3,
          kAsAScript,  categories,     {summary, kEachRow, kSince, keys, kNotCached, arguments},
          kCountedKeys};
}

constexpr std::array kGuardCommands{
    make_verb<guard_get>(
        "guard.get",
        "Returns for each row what the filter and the cache know, or a lease to load it",
        guard::kGet),
    make_verb<guard_put>(
        "guard.put", "Writes rows that were loaded under leases, and ends the leases", guard::kPut),
    make_verb<guard_drop>("guard.drop", "Ends leases without writing their rows", guard::kDrop),
    make_verb<guard_announce>("guard.announce", "Announces rows that are about to be inserted",
                              guard::kAnnounce),
    make_verb<guard_erase>(
        "guard.erase", "Removes the cache entries of rows that were inserted, changed or deleted",
        guard::kErase),
    make_verb<guard_ask>("guard.ask", "Returns for each item what the filter knows", guard::kAsk,
                         kTells, "read bloomery"),
    make_verb<guard_insert>("guard.insert", "Adds items to the cache guard's filter",
                            guard::kInsert),
    make_verb<guard_open>("guard.open", "Returns the identity of a filter", guard::kOpen, kTells,
                          "read bloomery"),
    make_verb<guard_enter>("guard.enter", "Takes a place among the queries that may run at once",
                           guard::kEnter),
    make_verb<guard_leave>("guard.leave", "Gives back a place among the queries", guard::kLeave),
};

}  // namespace

void register_guard_commands(const Api& api, Context* context) {
  if (api.set_command_info == nullptr) return;
  register_commands(api, context, "bloomery", kGuardCommands);
}

}  // namespace bloomery::module
