#pragma once

#include <span>
#include <string>
#include <vector>

#include "bloomery/redis/channel.h"
#include "bloomery/redis/deadline.h"
#include "bloomery/redis/location.h"
#include "bloomery/redis/reply.h"
#include "bloomery/redis/request.h"

namespace bloomery::redis {

// One connection to a server, which knows who we are and has chosen the database. One thread at a
// time. After an exception it is of no more use: its next answer might be that to a question
// before.
class Connection {
 public:
  // Throws ConnectionError; RefusedError where the server does not take us; CallAborted.
  Connection(const Location& location, const TlsSettings* tls, Deadline& deadline);

  // Sends all of it and returns as many replies, in one trip. Errors among them are for the caller.
  // Throws ConnectionError and CallAborted.
  std::vector<Reply> exchange(const Request& request, Deadline& deadline);

  // What came on it cannot be the answer.
  void distrust() noexcept { failed_ = true; }
  // Whether it may be used again: it never failed, and nothing has come since.
  bool is_usable() const noexcept { return !failed_ && !channel_.has_news(); }

 private:
  void introduce(const Location& location, Deadline& deadline);
  // Whether anything came.
  bool receive(std::vector<Reply>& replies, std::size_t expected);

  const std::string server_;
  bool failed_ = true;  // until all went well
  Channel channel_;
  ReplyReader reader_;
};

}  // namespace bloomery::redis
