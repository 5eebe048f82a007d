// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/reply.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <new>
#include <utility>

#include "bloomery/text/grouped.h"

namespace bloomery::redis {
namespace {

// hiredis reads the protocol and calls these for each value: C code, which exceptions must not
// cross. Null means that there is no memory.
//
// A value is made within its array. Only the last of an array's values may be unfinished, so a
// growing array moves none that hiredis still has a pointer to.
template <class Fill>
void* make(const redisReadTask* task, Reply::Type type, Fill fill) noexcept {
  try {
    Reply reply{.type = type};
    fill(reply);
    if (task->parent == nullptr) return new Reply(std::move(reply));
    return &static_cast<Reply*>(task->parent->obj)->elements.emplace_back(std::move(reply));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

Reply::Type type_of(int type) noexcept {
  if (type == REDIS_REPLY_ERROR) return Reply::Type::error;
  return type == REDIS_REPLY_STATUS ? Reply::Type::status : Reply::Type::text;
}

void* make_text(const redisReadTask* task, char* bytes, std::size_t size) noexcept {
  return make(task, type_of(task->type), [&](Reply& reply) { reply.text.assign(bytes, size); });
}

// The most levels of arrays in arrays; hiredis before 1.0 itself refuses more. Each level is freed
// by a call within a call.
constexpr int kMostDepth = 8;

bool is_too_deep(const redisReadTask* task) noexcept {
  int depth = 0;
  for (; task != nullptr && depth <= kMostDepth; task = task->parent) ++depth;
  return depth > kMostDepth;
}

// Makes an array. hiredis gives its size as int, and from 1.0 on as size_t. The reader's number of
// announced values is beside the tasks.
template <class Size>
void* make_array(const redisReadTask* task, Size size) noexcept {
  constexpr Size kAtOnce = 64;
  if (is_too_deep(task)) return nullptr;
  auto& announced = *static_cast<std::size_t*>(task->privdata);
  announced += static_cast<std::size_t>(std::max(size, Size{0}));
  if (announced > kMostReplyValues) return nullptr;
  return make(task, Reply::Type::array, [&](Reply& reply) {
    reply.elements.reserve(static_cast<std::size_t>(std::clamp(size, Size{0}, kAtOnce)));
  });
}

void* make_number(const redisReadTask* task, long long value) noexcept {
  return make(task, Reply::Type::number, [&](Reply& reply) { reply.number = value; });
}

void* make_nil(const redisReadTask* task) noexcept {
  return make(task, Reply::Type::nil, [](Reply&) {});
}

void free_reply(void* reply) noexcept {
  delete static_cast<Reply*>(reply);
}

// hiredis 1.0 knows two types more, which a server sends only to who asked for them; where none
// made them it would hand out a small number as their address.
template <class Functions>
Functions functions_of() noexcept {
  Functions all{};
  all.createString = make_text;
  all.createArray = make_array;
  all.createInteger = make_number;
  all.createNil = make_nil;
  all.freeObject = free_reply;
  if constexpr (requires { all.createDouble; }) {
    all.createDouble = [](const redisReadTask* task, double, char* bytes, std::size_t size) {
      return make_text(task, bytes, size);
    };
    all.createBool = [](const redisReadTask* task, int value) { return make_number(task, value); };
  }
  return all;
}

auto functions = functions_of<redisReplyObjectFunctions>();

// The type of the value whose bytes have not all come; negative: not one byte of it has. hiredis
// keeps its tasks in an array, and from 1.0 on in one of pointers.
template <class Reader>
int type_of_next(const Reader& reader) noexcept {
  if (reader.ridx < 0) return -1;
  if constexpr (requires { reader.rstack; }) {
    return reader.rstack[reader.ridx].type;
  } else {
    return reader.task[reader.ridx]->type;
  }
}

// The most bytes of a reply of one line; servers cut what they quote in errors.
constexpr std::size_t kMostLineBytes = std::size_t{64} << 10;

}  // namespace

bool is_role(const Reply& reply, std::string_view role) noexcept {
  return reply.is(Reply::Type::array) && !reply.elements.empty() &&
         reply.elements[0].is(Reply::Type::text) && reply.elements[0].text == role;
}

void ReplyReader::Free::operator()(redisReader* reader) const noexcept {
  redisReaderFree(reader);
}

ReplyReader::ReplyReader(std::size_t most_bytes)
    : most_bytes_(most_bytes), reader_(redisReaderCreateWithFunctions(&functions)) {
  if (!reader_) throw std::bad_alloc();
  reader_->privdata = &announced_;  // make_array() finds it beside each task
}

ReplyReader::~ReplyReader() = default;

// Returns why hiredis read no more.
std::string ReplyReader::why_failed() const {
  if (announced_ > kMostReplyValues) {
    return "a reply announces " + grouped(announced_) +
           " values in arrays; allowed: " + grouped(kMostReplyValues);
  }
  if (reader_->err == REDIS_ERR_OOM) return "no memory for a reply, or arrays in it too deep";
  return reader_->errstr;
}

// Returns why the rest of a value is not waited for; empty if it is. The value's type has been
// read, and the bytes from hiredis' position on are what came of it.
std::string ReplyReader::why_not_to_wait() const {
  const int type = type_of_next(*reader_);
  if (type < 0) return {};
  const std::string_view came(reader_->buf + reader_->pos, reader_->len - reader_->pos);
  const std::string_view line = came.substr(0, std::min(came.find('\r'), kMostLineBytes + 1));
  if (line.size() > kMostLineBytes) {
    return "a line of more than " + grouped(kMostLineBytes) + " bytes";
  }
  std::uint64_t announced = 0;
  if (type != REDIS_REPLY_STRING || line.size() == came.size() ||
      std::from_chars(line.data(), line.data() + line.size(), announced).ec != std::errc() ||
      announced <= most_bytes_) {
    return {};
  }
  return "a reply announces a text of " + grouped(announced) +
         " bytes; allowed: " + grouped(most_bytes_);
}

std::string ReplyReader::feed(std::string_view bytes, std::vector<Reply>& replies) {
  part_bytes_ += bytes.size();
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) {
    return reader_->errstr;
  }
  for (;;) {
    void* one = nullptr;
    if (redisReaderGetReply(reader_.get(), &one) != REDIS_OK) return why_failed();
    if (one == nullptr) break;
    const std::unique_ptr<Reply> reply(static_cast<Reply*>(one));
    replies.push_back(std::move(*reply));
    announced_ = 0;
    // The bytes that hiredis has not read yet are those behind the complete reply.
    part_bytes_ = reader_->len - reader_->pos;
  }
  if (part_bytes_ > most_bytes_) {
    return "a reply of more than " + grouped(most_bytes_) + " bytes";
  }
  return why_not_to_wait();
}

}  // namespace bloomery::redis
