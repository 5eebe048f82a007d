// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <vector>

#include "module/command.h"
#include "module/guard_arguments.h"
#include "module/guard_entries.h"
#include "module/guard_filter.h"
#include "module/guard_server.h"
#include "module/guard_verbs.h"
#include "module/guard_waits.h"
#include "module/settings.h"

namespace bloomery::module {
namespace {

constexpr std::int64_t kLongestBlock = 60'000;

bool is_half_fence(const GuardArguments& arguments) {
  return arguments[2].empty() != arguments[3].empty();
}

// The answer as the protocol has it: one to four parts.
void reply_answer(const Call& call, const GuardAnswer& answer) {
  const std::string_view what = answer.what;
  if (what == "absent") {
    call.reply_array(1);
    return call.reply_bytes(what);
  }
  const bool refreshes = what == "value" && !answer.id.empty();
  call.reply_array(what == "none" ? 2 : refreshes ? 4 : 3);
  call.reply_bytes(what);
  call.reply_bytes(name_of(answer.presence));
  if (what == "value") call.reply_bytes(answer.value);
  if (what == "wait") call.reply_number(static_cast<std::uint64_t>(answer.wait_ms));
  if (what == "open") call.reply_bytes(answer.why);
  if (what == "lease" || refreshes) call.reply_bytes(answer.id);
}

void reply_answers(const Call& call, const std::vector<GuardAnswer>& answers) {
  call.reply_array(answers.size());
  for (const GuardAnswer& each : answers) reply_answer(call, each);
}

std::vector<GuardAnswer> read_rows(const Call& call, const GuardArguments& arguments,
                                   bool may_take) {
  if (!is_on_primary(call)) {
    return std::vector<GuardAnswer>(
        arguments.row_count(), {.what = "open", .presence = GuardPresence::unknown, .why = "role"});
  }
  GuardServer server(call.context());
  return GuardReader(server, arguments, may_take).answers();
}

// Answers a client that waited. Nothing is written here: a server that hands its keys over to
// another may not be written to, and no command of this client holds it back.
void answer_after_waiting(Call& call) {
  const GuardArguments arguments(call);
  reply_answers(call, read_rows(call, arguments, false));
}

// awaited: the leases of others among the answers; none where the caller has rows to load first.
std::vector<AwaitedLease> awaited(const GuardArguments& arguments,
                                  const std::vector<GuardAnswer>& answers) {
  std::vector<AwaitedLease> leases;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].id.empty() || answers[i].why != nullptr) return {};
    if (answers[i].held_by_other.empty()) continue;
    leases.push_back({std::string(arguments.lease_name(i)), answers[i].held_by_other});
  }
  return leases;
}

}  // namespace

// GUARD.GET numkeys key [key ...] family identity source position token life item [item ...]
// [BLOCK ms]
void guard_get(Call& call) {
  const GuardArguments arguments(call);
  const std::size_t plain = GuardArguments::kFirstItem + arguments.row_count();
  const bool blocks = arguments.size() == plain + 2 && same_word(arguments[plain], "BLOCK");
  const auto most = parse_life(arguments[plain + 1], 1);
  if ((arguments.size() != plain && !blocks) || !parse_life(arguments[5], 1) ||
      arguments[4].size() != kGuardTokenSize || is_half_fence(arguments)) {
    throw Refusal("GUARD get: wrong arguments");
  }
  if (blocks && (!most || *most > kLongestBlock)) {
    throw Refusal("GUARD get: BLOCK takes from 1 to 60000 milliseconds");
  }
  const auto answers = read_rows(call, arguments, true);
  const bool may_block = blocks && (call.flags() & kMayNotBlock) == 0;
  const auto leases = may_block ? awaited(arguments, answers) : std::vector<AwaitedLease>();
  if (leases.empty()) return reply_answers(call, answers);
  wait_for_leases(call.context(), leases, std::chrono::milliseconds(*most),
                  run<answer_after_waiting, 3, kAny>);
}

// GUARD.ASK 1 filter family identity source position [item ...]
void guard_ask(Call& call) {
  const GuardArguments arguments(call);
  require_primary(call);
  if (arguments.key_count() != 1 || arguments.size() < 4 || is_half_fence(arguments)) {
    throw Refusal("GUARD ask: wrong arguments");
  }
  GuardServer server(call.context());
  const auto presences = ask_guard_filter(server, arguments, 4, arguments.size() - 4);
  call.reply_array(presences.size());
  for (const GuardPresence each : presences) call.reply_bytes(name_of(each));
}

// GUARD.OPEN numkeys filter [markers] family
void guard_open(Call& call) {
  const GuardArguments arguments(call);
  require_primary(call);
  const std::size_t least = is_bloom(arguments[0]) ? 1 : 2;
  if (arguments.size() != 1 || arguments.key_count() < least || arguments.key_count() > 2) {
    throw Refusal("GUARD open: wrong arguments");
  }
  GuardServer server(call.context());
  call.reply_bytes(identity_of_guard_filter(server, arguments));
}

}  // namespace bloomery::module
