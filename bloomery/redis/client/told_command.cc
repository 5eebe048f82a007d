// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/told_command.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/client/server_errors.h"
#include "bloomery/text/printable.h"

namespace bloomery::redis {
namespace {

using Command = std::vector<std::string_view>;

// Commands without a key: what follows their names is theirs.
constexpr std::array<std::string_view, 12> kWithoutKey{"ASKING", "AUTH", "CLIENT", "CLUSTER",
                                                       "CONFIG", "ECHO", "EXEC",   "MULTI",
                                                       "PING",   "ROLE", "SELECT", "SENTINEL"};

std::string_view key_of(const Command& command) {
  if (std::ranges::find(kWithoutKey, command.front()) != kWithoutKey.end()) return {};
  const std::size_t at = command.front().starts_with("EVAL") ? 3 : 1;  // behind script and number
  return at < command.size() ? command[at] : std::string_view();
}

std::string told(const Command& command) {
  const std::string_view key = key_of(command);
  if (key.empty()) return " (" + std::string(command.front()) + ")";
  const std::string quoted = printable(key, 100);
  const bool is_plain = quoted.size() == key.size() + 2 && key.find(' ') == std::string_view::npos;
  return " (" + std::string(command.front()) + ' ' + (is_plain ? std::string(key) : quoted) + ")";
}

// An array may have an error in the place of what one item brought.
bool has_error(const Reply& reply) {
  return reply.is(Reply::Type::error) || std::ranges::any_of(reply.elements, has_error);
}

void tell(const Command& command, Reply& reply) {
  if (reply.is(Reply::Type::error)) reply.text = beginning_of(reply.text) + told(command);
  for (Reply& each : reply.elements) tell(command, each);
}

// Adds the command and its key to the errors of a unit: of a command, or of all from MULTI to EXEC.
// If a transaction was refused as a whole, the error names its first command with a key.
void tell_of_unit(std::span<const Command> commands, std::span<Reply> replies) {
  const auto has_key = [](const Command& command) { return !key_of(command).empty(); };
  const auto keyed = std::ranges::find_if(commands, has_key);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    auto& brought = replies[i].elements;
    if (commands[i].front() == "EXEC" && !brought.empty()) {
      const std::size_t first = commands.front().front() == "MULTI" ? 1 : 0;
      for (std::size_t k = 0; k < std::min(brought.size(), i - first); ++k) {
        tell(commands[first + k], brought[k]);
      }
    } else {
      tell(has_key(commands[i]) || keyed == commands.end() ? commands[i] : *keyed, replies[i]);
    }
  }
}

}  // namespace

void tell_commands(const Request& request, std::span<Reply> replies) {
  if (std::ranges::none_of(replies, has_error)) return;
  const auto commands = request.commands();
  const auto next = [&](std::string_view name, std::size_t from) {
    while (from < commands.size() && commands[from].front() != name) ++from;
    return from;
  };
  for (std::size_t at = 0; at < commands.size();) {
    const std::size_t multi = next("MULTI", at);
    const std::size_t exec = next("EXEC", at);
    // One whose MULTI was sent before ends here as well.
    const bool is_transaction = exec < commands.size() && (multi == at || multi > exec);
    const std::size_t size = is_transaction ? exec + 1 - at : 1;
    tell_of_unit(std::span(commands).subspan(at, size), replies.subspan(at, size));
    at += size;
  }
}

}  // namespace bloomery::redis
