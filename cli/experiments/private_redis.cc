// SPDX-License-Identifier: Apache-2.0
#include "cli/experiments/private_redis.h"

#include <cstdlib>
#include <utility>

#include "bloomery/errors.h"

namespace bloomery::cli {

PrivateRedis::PrivateRedis() : stage_(Account{}) {
  const char* const named = std::getenv("REDIS_SERVER");
  const std::string program = named != nullptr && *named != '\0' ? named : "redis-server";
  const std::string socket = stage_.path("redis.sock");
  server_.emplace(stage_, "redis.log",
                  std::vector<std::string>{program, "--port", "0", "--unixsocket", socket, "--save",
                                           "", "--dir", stage_.path(""), "--daemonize", "no"});
  client_.emplace(redis::parse_location("redis+unix://" + socket + "#experiment"));
  server_->wait_until(signals_, [this] {
    try {
      return call({"PING"}).is_status("PONG");
    } catch (const StoreError&) {
      return false;
    }
  });
}

redis::Reply PrivateRedis::call(std::initializer_list<std::string_view> words) {
  return run(redis::Request().add(words)).front();
}

std::vector<redis::Reply> PrivateRedis::run(const redis::Request& request) {
  std::vector<redis::Reply> replies = client_->run(request, redis::Repeat::never).replies;
  for (redis::Reply& each : replies) each = redis::require_done(each, client_->location());
  return replies;
}

Figure figure_with_redis(Figure not_run, const std::function<Figure(PrivateRedis&)>& measure) {
  std::optional<PrivateRedis> server;
  try {
    server.emplace();
  } catch (const StoreError& error) {
    std::string why = error.what();
    while (why.ends_with('\n')) why.pop_back();
    not_run.ours = "not run: no Redis could be started";
    not_run.verdict = Verdict::not_run;
    not_run.remark = why + "; install redis-server, or name one in REDIS_SERVER";
    return not_run;
  }
  return measure(*server);
}

}  // namespace bloomery::cli
