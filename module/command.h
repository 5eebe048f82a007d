#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <span>

#include "module/call.h"
#include "module/server_memory.h"

// Commands as a server knows them: functions of C, behind which no exception goes.
namespace bloomery::module {

// One with `least` to `most` words, its name included.
template <void (*command)(Call&), std::size_t least, std::size_t most>
int run(Context* context, String** words, int count) noexcept {
  const Api& api = the_module().api;
  const auto size = static_cast<std::size_t>(count);
  if (size < least || size > most) return api.wrong_arity(context);
  Call call(context, {words, size});
  try {
    const RespectMaxmemory respect(!call.is_replay());
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

struct Command {
  const char* name;
  CommandFunction function;
  const char* flags;
  const char* acl_categories;  // beside its own, on servers that have them
};

// Throws std::runtime_error, naming the command, where the server has one of the name already.
void register_commands(const Api& api, Context* context, const char* category,
                       std::span<const Command> commands);

}  // namespace bloomery::module
