// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/os/own_process.h"
#include "bloomery/redis/client/channel.h"
#include "bloomery/redis/client/deadline.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"

namespace bloomery::redis {

// One connection to a server, which knows who we are and has chosen the database. One thread at a
// time. After an exception it is of no more use: its next answer might be that to a question
// before. Nor is it in a child of fork(), which would take its parent's answers.
class Connection {
 public:
  // Throws ConnectionError; RefusedError where the server does not take us; CallAborted.
  Connection(const Location& location, const TlsSettings* tls, Deadline& deadline);

  // Sends all of it and returns as many replies, in one trip. Errors among them are for the caller.
  // Throws ConnectionError and CallAborted.
  std::vector<Reply> exchange(const Request& request, Deadline& deadline);

  // Marks the connection as failed, so that it is not used again: a reply on it cannot be the
  // answer.
  void distrust() noexcept { failed_ = true; }
  // Returns whether the connection may be used again: it is this process's, never failed, and
  // nothing has come since.
  bool is_usable() const noexcept { return is_ours() && !failed_ && !channel_.has_news(); }

 private:
  bool is_ours() const noexcept { return process_ == process_number(); }
  void introduce(const Location& location, Deadline& deadline);
  // Receives replies, and returns whether anything came.
  bool receive(std::vector<Reply>& replies, std::size_t expected);

  const std::string server_;
  const std::uint64_t process_ = process_number();
  bool failed_ = true;  // until all went well
  Channel channel_;
  ReplyReader reader_;
};

}  // namespace bloomery::redis
