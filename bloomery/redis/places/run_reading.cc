// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/run_reading.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {
namespace {

// ARGV: the number of the transaction; of each command how many words it has, and the words. Lua
// hands over some 8,000 at once, and of these only BITFIELD_RO has so many: three words a bit.
constexpr std::string_view kReads = R"(
local function ask(first, last)
  if last - first < 6002 then return redis.pcall(unpack(ARGV, first, last)) end
  local bits = {}
  for from = first + 2, last, 6000 do
    local words = {ARGV[first], ARGV[first + 1]}
    for i = from, math.min(from + 5999, last) do words[#words + 1] = ARGV[i] end
    local some = redis.pcall(unpack(words))
    if some.err then return some end
    for i = 1, #some do bits[#bits + 1] = some[i] end
  end
  return bits
end
local said, at = {ARGV[1]}, 2
while at <= #ARGV do
  local count = tonumber(ARGV[at])
  said[#said + 1] = ask(at + 1, at + count)
  at = at + count + 1
end
return said
)";

// The number of commands of a unit before its reads: MULTI, ECHO, ROLE. EXEC stands behind them.
constexpr std::size_t kBefore = 3;
constexpr std::size_t kRepliesOfScript = 3;  // ROLE, the script, ROLE

// EVAL_RO writes nothing, so that a user without the right to EVAL may have the right to it;
// servers know it from 7.0 on.
constexpr std::array<std::string_view, 2> kEvals{"EVAL", "EVAL_RO"};

void append_script(Request& request, const std::vector<std::vector<std::string_view>>& unit,
                   std::string_view eval) {
  std::set<std::string_view> keys;
  std::vector<std::string> counts;
  for (std::size_t i = kBefore; i + 1 < unit.size(); ++i) {
    keys.insert(unit[i][1]);
    counts.push_back(std::to_string(unit[i].size()));
  }
  const std::string key_count = std::to_string(keys.size());
  std::vector<std::string_view> words{eval, kReads, key_count};
  words.insert(words.end(), keys.begin(), keys.end());
  words.push_back(unit[1][1]);
  for (std::size_t i = kBefore; i + 1 < unit.size(); ++i) {
    words.push_back(counts[i - kBefore]);
    words.insert(words.end(), unit[i].begin(), unit[i].end());
  }
  request.add({"ROLE"}).add(words).add({"ROLE"});
}

Request scripts_of(const Request& request, std::string_view eval) {
  Request scripts;
  scripts.about(request.key());
  if (request.has_several_slots()) scripts.of_several_slots();
  const auto commands = request.commands();
  auto next = commands.begin();
  for (const Request::Unit& unit : request.units()) {
    append_script(scripts, {next, next + static_cast<std::ptrdiff_t>(unit.size)}, eval);
    next += static_cast<std::ptrdiff_t>(unit.size);
  }
  return scripts.reads_only();
}

Reply status(const char* text) {
  return {.type = Reply::Type::status, .text = text};
}

// Appends the replies of a script in the form of those to a transaction of `size` commands, with
// its MULTI and EXEC.
void append_transaction(std::vector<Reply>& replies, std::span<const Reply> script,
                        std::size_t size) {
  const auto refused = std::ranges::find(script, Reply::Type::error, &Reply::type);
  if (refused != script.end()) {
    replies.insert(replies.end(), size, *refused);
    return;
  }
  const Reply& said = script[1];
  Reply all{.type = said.type, .elements = said.elements};
  // Behind the number, as ROLE stands there. Of two that differ the one that says less.
  if (!all.elements.empty()) {
    all.elements.insert(all.elements.begin() + 1,
                        is_role(script[0], "master") ? script[2] : script[0]);
  }
  replies.push_back(status("OK"));
  replies.insert(replies.end(), size - 2, status("QUEUED"));
  replies.push_back(std::move(all));
}

std::vector<Reply> as_transactions(const Request& request, std::span<const Reply> scripts) {
  std::vector<Reply> replies;
  replies.reserve(request.size());
  for (const Request::Unit& unit : request.units()) {
    append_transaction(replies, scripts.first(kRepliesOfScript), unit.size);
    scripts = scripts.subspan(kRepliesOfScript);
  }
  return replies;
}

bool is_out_of_memory(const Reply& reply) {
  return reply.is(Reply::Type::error) && refusal_of(reply.text) == Refusal::out_of_memory;
}

// Returns whether the user may not run the command, or the server does not know it.
bool is_no_command(const Reply& reply) {
  if (!reply.is(Reply::Type::error)) return false;
  const Refusal refusal = refusal_of(reply.text);
  return refusal == Refusal::no_permission || refusal == Refusal::unknown_command;
}

}  // namespace

Answer run_reading(Client& client, const Request& request, const CallContext& context,
                   const Client::Judge& judge) {
  std::string refusal;
  const auto look = [&](std::span<const Reply> replies) {
    refusal.clear();
    const auto refused = std::ranges::find_if(replies, is_out_of_memory);
    if (refused != replies.end()) {
      refusal = refused->text;
    } else if (judge) {
      judge(replies);
    }
  };
  Answer answer = client.run(request, Repeat::safe, context, look);
  if (refusal.empty()) return answer;
  for (const std::string_view eval : kEvals) {
    std::vector<Reply> replies;
    const auto read = [&](std::span<const Reply> all) {
      replies.clear();
      if (std::ranges::any_of(all, is_no_command)) return;
      replies = as_transactions(request, all);
      if (judge) judge(replies);
    };
    answer = client.run(scripts_of(request, eval), Repeat::safe, context, read);
    if (replies.empty()) continue;
    answer.replies = std::move(replies);
    return answer;
  }
  throw RefusedError(client.location().server(), refusal);
}

}  // namespace bloomery::redis
