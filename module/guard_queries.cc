// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "module/guard_arguments.h"
#include "module/guard_clock.h"
#include "module/guard_server.h"
#include "module/guard_verbs.h"

namespace bloomery::module {

// GUARD.ENTER 1 key token most life
void guard_enter(Call& call) {
  const GuardArguments arguments(call);
  require_primary(call);
  const auto most = parse_life(arguments[1], 1);
  const auto life = parse_life(arguments[2], 1);
  if (arguments.size() != 3 || arguments.key_count() != 1 || !most || !life) {
    throw Refusal("GUARD enter: wrong arguments");
  }
  GuardServer server(call.context());
  const std::int64_t now = guard_now_ms();
  ServerWords ended = server.words();
  server.write("ZREMRANGEBYSCORE",
               ended.add(arguments.key(0)).add("-inf").add(std::to_string(now)));
  ServerWords name = server.words();
  if (server.read("ZCARD", name.add(arguments.key(0))).number().value_or(0) >= *most) {
    return call.reply_number(0);
  }
  ServerWords mine = server.words();
  server.write("ZADD",
               mine.add(arguments.key(0)).add(std::to_string(now + *life)).add(arguments.raw(0)));
  if (server.read("PTTL", name).number().value_or(-1) < *life) {
    ServerWords longer = server.words();
    server.write("PEXPIRE", longer.add(arguments.key(0)).add(arguments.raw(2)));
  }
  call.reply_number(1);
}

// GUARD.LEAVE 1 key token
void guard_leave(Call& call) {
  const GuardArguments arguments(call);
  require_primary(call);
  if (arguments.size() != 1 || arguments.key_count() != 1) {
    throw Refusal("GUARD leave: wrong arguments");
  }
  GuardServer server(call.context());
  ServerWords words = server.words();
  const auto left = server.write("ZREM", words.add(arguments.key(0)).add(arguments.raw(0)));
  call.reply_number(static_cast<std::uint64_t>(left.number().value_or(0)));
}

}  // namespace bloomery::module
