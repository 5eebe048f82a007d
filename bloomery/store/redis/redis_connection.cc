#include "bloomery/store/redis/redis_connection.h"

#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <csignal>
#include <vector>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

// hiredis writes with write(), which ends a process whose peer has gone: while this lives, that is
// an error like others.
class WithoutSigpipe {
 public:
  WithoutSigpipe() noexcept {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec now{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

timeval seconds_of(std::chrono::milliseconds time) {
  return {.tv_sec = time.count() / 1000, .tv_usec = time.count() % 1000 * 1000};
}

}  // namespace

void RedisConnection::Close::operator()(redisContext* context) const noexcept {
  redisFree(context);
}

RedisConnection::RedisConnection(const RedisLocation& location, std::chrono::milliseconds timeout)
    : server_(location.server()) {
  const timeval time = seconds_of(timeout);
  context_.reset(location.socket.empty()
                     ? redisConnectWithTimeout(location.host.c_str(), location.port, time)
                     : redisConnectUnixWithTimeout(location.socket.c_str(), time));
  if (context_ == nullptr) fail("out of memory");
  if (context_->err != 0) fail(std::string("cannot connect: ") + context_->errstr);
  redisSetTimeout(context_.get(), time);
  if (!location.password.empty()) {
    std::vector<std::string_view> words{"AUTH"};
    if (!location.user.empty()) words.emplace_back(location.user);
    words.emplace_back(location.password);
    call(words);
  }
  if (location.database != 0) {
    const std::string database = std::to_string(location.database);
    call(std::vector<std::string_view>{"SELECT", database});
  }
}

void RedisConnection::fail(const std::string& reason) const {
  throw StoreError(server_ + ": " + reason);
}

void RedisConnection::send(std::span<const std::string_view> words) {
  std::vector<const char*> bytes;
  std::vector<std::size_t> sizes;
  for (const std::string_view word : words) {
    bytes.push_back(word.data());
    sizes.push_back(word.size());
  }
  const WithoutSigpipe quiet;
  if (redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), bytes.data(),
                             sizes.data()) != REDIS_OK) {
    fail(std::string("cannot send: ") + context_->errstr);
  }
  for (int done = 0; done == 0;) {
    if (redisBufferWrite(context_.get(), &done) != REDIS_OK) {
      fail(std::string("cannot send: ") + context_->errstr);
    }
  }
}

RedisReply RedisConnection::receive() {
  const WithoutSigpipe quiet;
  void* raw = nullptr;
  if (redisGetReply(context_.get(), &raw) != REDIS_OK) {
    fail(std::string("no answer: ") + context_->errstr);
  }
  const std::unique_ptr<redisReply, void (*)(void*)> reply(static_cast<redisReply*>(raw),
                                                           freeReplyObject);
  RedisReply answer{.is_error = reply->type == REDIS_REPLY_ERROR, .text = {}, .number = 0};
  if (reply->type == REDIS_REPLY_INTEGER) answer.number = reply->integer;
  if (reply->str != nullptr) answer.text.assign(reply->str, reply->len);
  return answer;
}

RedisReply RedisConnection::call(std::span<const std::string_view> words) {
  send(words);
  RedisReply reply = receive();
  if (reply.is_error) fail(reply.text);
  return reply;
}

}  // namespace bloomery
