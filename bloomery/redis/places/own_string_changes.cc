// SPDX-License-Identifier: Apache-2.0
// What steps brought into a filter in a string, read from the stream beside it.
#include <optional>
#include <utility>

#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/own_string.h"
#include "bloomery/redis/places/run_reading.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kEntriesAtOnce = 256;
constexpr std::size_t kMostHashes = std::size_t{1} << 20;
constexpr std::size_t kMostStates = std::size_t{1} << 16;

// Returns whether the user may not read the stream, or the server knows no streams.
bool is_without_streams(const RefusedError& refused) {
  return refused.refusal == Refusal::no_permission || refused.refusal == Refusal::unknown_command;
}

}  // namespace

struct OwnString::StepLook {
  Head head{};
  StepReply steps{};
};

OwnString::StepLook OwnString::look_at_steps(const StepState& state, bool reads_stream,
                                             const CallContext& context) {
  Seen seen;
  StepLook look;
  Request request;
  request.about(key_);
  begin_transaction(request, seen.nonce);
  request.add({"STRLEN", key_}).add({"GETRANGE", key_, "0", std::to_string(head_length_ - 1)});
  if (reads_stream) {
    append_step_question(request, step_stream_key(key_), state, kEntriesAtOnce);
  }
  request.add({"EXEC"});
  constexpr std::size_t kUnitsOfHead = 4;
  run_reading(*client_, request, context, [&](std::span<const Reply> replies) {
    const std::size_t count = kUnitsOfHead + (reads_stream ? 1 : 0);
    const auto& all = read_exec(replies, count, seen.nonce, name_);
    seen.begin_again();
    look.steps = {};
    const auto of_head = std::span(all).first(kUnitsOfHead);
    if (!read_beginning(of_head, client_->location().allow_replica, seen)) return;
    // An error: the stream's key holds something else.
    if (reads_stream) look.steps = read_steps(all.back());
  });
  if (!seen.is_primary) client_->suspect(key_);
  if (!seen.doubt.empty()) fail(seen.doubt);
  look.head = seen.head;
  return look;
}

// Returns whether keys have the same bits, and are written in the same form.
bool OwnString::has_keys_of_opened(const NativeBitmapHead& head) const {
  const KeyForm& keys = head.header.contents.parameters.keys;
  return other_bits(head).empty() && keys == opened()->header.contents.parameters.keys;
}

bool OwnString::take_entries(std::span<const StepEntry> entries, StepState& now, Changes& changes) {
  for (const StepEntry& entry : entries) {
    if (entry.before != now) return false;
    now = entry.after;
    changes.states.push_back(now);
    changes.hashes.insert(changes.hashes.end(), entry.hashes.begin(), entry.hashes.end());
  }
  return true;
}

// Entries that came before may lead to a head that is not there any more.
OwnString::Changes OwnString::changes_since(const StepState& state, std::span<const StepEntry> came,
                                            bool& reads_stream, const CallContext& context) {
  Changes changes = chain_since(state, came, reads_stream, context);
  if (!changes.is_broken || came.empty()) return changes;
  return chain_since(state, {}, reads_stream, context);
}

OwnString::Changes OwnString::chain_since(const StepState& state, std::span<const StepEntry> came,
                                          bool& reads_stream, const CallContext& context) {
  Changes changes;
  StepState now = state;
  take_entries(came, now, changes);
  for (;;) {
    std::optional<StepLook> look;
    try {
      look = look_at_steps(now, reads_stream, context);
    } catch (const RefusedError& refused) {
      if (!reads_stream || !is_without_streams(refused)) throw;
      reads_stream = false;
      continue;
    }
    const StepState there = step_state(*look->head);
    if (!has_keys_of_opened(*look->head) || !there.identity.is_set()) {
      changes.is_broken = true;
      return changes;
    }
    if (now == there) {
      changes.has_all = true;
      return changes;
    }
    if (!take_entries(look->steps.entries, now, changes)) {
      changes.is_broken = true;
      return changes;
    }
    const bool has_read_all = look->steps.entries.size() == look->steps.count;
    const bool may_have_more = look->steps.count == kEntriesAtOnce;
    // The last entry leads to the head of the same moment, or there is a gap.
    changes.has_all = has_read_all && !may_have_more && now == there;
    changes.is_broken = !changes.has_all && (!has_read_all || !may_have_more);
    const bool is_enough =
        changes.hashes.size() >= kMostHashes || changes.states.size() >= kMostStates;
    if (changes.has_all || changes.is_broken || is_enough) return changes;
  }
}

}  // namespace bloomery::redis
