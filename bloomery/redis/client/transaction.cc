// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/transaction.h"

#include <atomic>

#include "bloomery/bits/per_process.h"
#include "bloomery/place/watermark.h"
#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {
namespace {

struct Nonces {
  std::atomic<std::uint64_t> next = Identity::random().high;
};

}  // namespace

std::string next_nonce() {
  // Never freed: questions may come while the process ends.
  static PerProcess<Nonces>& nonces = *new PerProcess<Nonces>;
  return std::to_string(nonces.get().next.fetch_add(1, std::memory_order_relaxed));
}

void begin_transaction(Request& request, std::string_view nonce) {
  request.add({"MULTI"}).add({"ECHO", nonce}).add({"ROLE"});
}

void fail_answer(const std::string& name, const char* what) {
  throw ProtocolError(name + ": what came is no answer to the question: " + what);
}

const std::vector<Reply>& read_exec(std::span<const Reply> replies, std::size_t count,
                                    std::string_view nonce, const std::string& name) {
  if (replies.front().is(Reply::Type::error)) throw RefusedError(name, replies.front().text);
  if (!replies.front().is_status("OK")) fail_answer(name, "MULTI");
  return read_begun_exec(replies.subspan(1), count, nonce, name);
}

const std::vector<Reply>& read_begun_exec(std::span<const Reply> replies, std::size_t count,
                                          std::string_view nonce, const std::string& name) {
  // The first refusal says why; EXEC's only that there was one.
  for (const Reply& reply : replies) {
    if (reply.is(Reply::Type::error)) throw RefusedError(name, reply.text);
  }
  for (const Reply& reply : replies.first(count)) {
    if (!reply.is_status("QUEUED")) fail_answer(name, "MULTI");
  }
  const Reply& all = replies.back();
  if (!all.is(Reply::Type::array) || all.elements.size() != count) fail_answer(name, "EXEC");
  const Reply& echo = all.elements[0];
  if (!echo.is(Reply::Type::text) || echo.text != nonce) fail_answer(name, "another's answer");
  return all.elements;
}

bool has_wrong_type(std::span<const Reply> all, const std::string& name) {
  for (const Reply& reply : all) {
    if (!reply.is(Reply::Type::error)) continue;
    if (refusal_of(reply.text) != Refusal::wrong_type) throw RefusedError(name, reply.text);
    return true;
  }
  return false;
}

std::uint64_t length_in(const Reply& reply, const std::string& name) {
  if (!reply.is(Reply::Type::number) || reply.number < 0) fail_answer(name, "its length");
  return static_cast<std::uint64_t>(reply.number);
}

std::string role_doubt(const Reply& role, bool allow_replica, const std::string& name) {
  if (!role.is(Reply::Type::array) || role.elements.empty() ||
      !role.elements[0].is(Reply::Type::text)) {
    fail_answer(name, "its role");
  }
  const std::string& word = role.elements[0].text;
  if (word == "master" || (word == "slave" && allow_replica)) return "";
  return word == "slave" ? "the server is a replica, which may not have what was inserted last; "
                           "?replica=1 takes it all the same"
                         : "the server is no primary";
}

}  // namespace bloomery::redis
