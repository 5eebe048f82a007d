// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/connection.h"

#include <poll.h>

#include <array>
#include <string_view>
#include <utility>

#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {
namespace {

// A server that does not know AUTH may repeat what it was told.
std::string without(std::string text, const std::string& secret) {
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;) {
    text.replace(at, secret.size(), "***");
    at += 3;
  }
  return text;
}

}  // namespace

Connection::Connection(const Location& location, const TlsSettings* tls, Deadline& deadline)
    : server_(location.server()), channel_(location, tls, deadline) {
  introduce(location, deadline);
}

// All of it in one trip.
void Connection::introduce(const Location& location, Deadline& deadline) {
  const std::string password = password_of(location);
  const std::string database = std::to_string(location.database);
  Request request;
  if (!password.empty()) {
    if (location.user.empty()) {
      request.add({"AUTH", password});
    } else {
      request.add({"AUTH", location.user, password});
    }
  }
  if (location.database != 0) request.add({"SELECT", database});
  if (!location.client_name.empty()) request.add({"CLIENT", "SETNAME", location.client_name});
  if (location.must_be_primary) request.add({"ROLE"});
  failed_ = false;
  const auto replies = exchange(request, deadline);
  failed_ = true;
  for (const Reply& reply : replies) {
    if (reply.is(Reply::Type::error)) {
      throw RefusedError(server_, password.empty() ? reply.text : without(reply.text, password));
    }
    if (location.must_be_primary && &reply == &replies.back()) {
      if (!is_role(reply, "master")) throw ConnectionError(server_ + ": it is no primary");
    } else if (!reply.is_status("OK")) {
      throw ProtocolError(server_ + ": a greeting without OK");
    }
  }
  failed_ = false;
}

std::vector<Reply> Connection::exchange(const Request& request, Deadline& deadline) {
  if (std::exchange(failed_, true)) {
    throw ConnectionError(server_ + ": this connection failed before");
  }
  if (!is_ours()) throw ConnectionError(server_ + ": this connection is the parent process's");
  std::vector<Reply> replies;
  replies.reserve(request.size());
  std::string_view rest = request.bytes();
  // The loop also reads while it writes: a server, or a proxy, may stop taking commands until
  // somebody takes the replies.
  while (replies.size() < request.size()) {
    const std::size_t sent = rest.empty() ? 0 : channel_.send_some(rest);
    rest.remove_prefix(sent);
    const bool all_left = channel_.flush() && rest.empty();
    if (receive(replies, request.size()) || sent > 0) {
      deadline.check("asking");
      continue;
    }
    const int events = POLLIN | (all_left ? 0 : POLLOUT);
    deadline.wait_for(channel_.file(), static_cast<short>(events),
                      all_left ? "waiting for the answer" : "sending");
  }
  if (!rest.empty()) throw ProtocolError(server_ + ": an answer to what was not sent");
  failed_ = false;
  return replies;
}

bool Connection::receive(std::vector<Reply>& replies, std::size_t expected) {
  std::array<char, 16 * 1024> bytes;
  const std::size_t came = channel_.receive_some(bytes);
  if (came == 0) return false;
  const std::string wrong = reader_.feed({bytes.data(), came}, replies);
  if (!wrong.empty()) throw ProtocolError(server_ + ": what came is no answer: " + wrong);
  if (replies.size() > expected || (replies.size() == expected && reader_.has_part())) {
    throw ProtocolError(server_ + ": more came than was asked for");
  }
  return true;
}

}  // namespace bloomery::redis
