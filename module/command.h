// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <span>

#include "module/call.h"
#include "module/server_memory.h"
#include "module/strict_api.h"

// Commands as a server knows them: functions of C, behind which no exception goes.
namespace bloomery::module {

// A command of `least` to `most` words, its name included.
template <void (*command)(Call&), int least, int most>
int run(Context* context, String** words, int count) noexcept {
  const Api& api = the_module().api;
#ifdef BLOOMERY_STRICT_API
  const WholeReply whole(context, is_replay(api.context_flags(context)));
#endif
  if (count < least || count > most) return api.wrong_arity(context);
  Call call(context, {words, static_cast<std::size_t>(count)});
  keep_reserve();
  try {
    const RespectMaxmemory respect(context);
    command(call);
  } catch (const WrongArity&) {
    api.wrong_arity(context);
  } catch (const Refusal& refusal) {
    api.reply_error(context, refusal.what());
  } catch (const std::bad_alloc&) {
    api.reply_error(context, "ERR out of memory");
  } catch (const std::exception& error) {
    api.reply_error(context, error.what());
  }
  return kOk;
}

inline constexpr int kAny = std::numeric_limits<int>::max();  // words

// Words of the servers' own for commands: flags, what becomes of the key, and a tip.
inline constexpr const char* kWrites = "write deny-oom";
inline constexpr const char* kReads = "readonly fast";
inline constexpr std::uint64_t kInserts = kKeyReadWrite | kKeyInsert;
inline constexpr std::uint64_t kTells = kKeyRead | kKeyAccess;
inline constexpr const char* kNotCached = "dont_cache";

// The statements of COMMAND DOCS and COMMAND INFO about a command, on servers that let a module
// make them.
struct CommandDocs {
  const char* summary;
  const char* complexity;
  const char* since;
  std::uint64_t key_flags;
  const char* tips = nullptr;
  const Argument* arguments = nullptr;  // as of command_arguments.h; null: not told
};

struct Command {
  const char* name;
  CommandFunction function;
  int arity;  // as in COMMAND INFO: negative where more words may come
  const char* flags;
  const char* acl_categories;  // beside its own, on servers that have them
  CommandDocs docs;
  int last_key;  // keys are words 1 to this; -1: to the last word; or kCountedKeys
};
inline constexpr int kCountedKeys = 0;  // word 1 says how many keys follow it

template <void (*command)(Call&), int least, int most>
constexpr Command make_command(const char* name, const char* flags, const char* acl_categories,
                               CommandDocs docs, int last_key = 1) {
  return {name,
          run<command, least, most>,
          least == most ? least : -least,
          flags,
          acl_categories,
          docs,
          last_key};
}

// Throws std::runtime_error, naming the command, where the server has one of the name already.
void register_commands(const Api& api, Context* context, const char* category,
                       std::span<const Command> commands);

}  // namespace bloomery::module
