// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/client/client.h"
#include "cli/ending_signals.h"
#include "cli/experiments/figure.h"
#include "cli/stage.h"

namespace bloomery::cli {

// A Redis of the experiment's own, on a socket in a folder of its own: $REDIS_SERVER, else
// redis-server. Both go with this.
class PrivateRedis {
 public:
  // Throws StoreError where there is no such program, and Interrupted.
  PrivateRedis();

  // Run a command, or a request. Throw what the client throws, and StoreError for an error that the
  // server answers.
  redis::Reply call(std::initializer_list<std::string_view> words);
  std::vector<redis::Reply> run(const redis::Request& request);

 private:
  const EndingSignals signals_;
  const Stage stage_;
  std::optional<Process> server_;
  std::optional<redis::Client> client_;
};

// Returns what `measure` makes of a server of its own; where no server can be started, `not_run`,
// whose remark says why.
Figure figure_with_redis(Figure not_run, const std::function<Figure(PrivateRedis&)>& measure);

}  // namespace bloomery::cli
