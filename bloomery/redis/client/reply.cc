// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/reply.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <new>
#include <utility>

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

// Makes an array. hiredis gives its size as int, and from 1.0 on as size_t.
template <class Size>
void* make_array(const redisReadTask* task, Size size) noexcept {
  constexpr Size kAtOnce = 64;
  if (is_too_deep(task)) return nullptr;
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
}

ReplyReader::~ReplyReader() = default;

std::string ReplyReader::feed(std::string_view bytes, std::vector<Reply>& replies) {
  part_bytes_ += bytes.size();
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) {
    return reader_->errstr;
  }
  for (;;) {
    void* one = nullptr;
    if (redisReaderGetReply(reader_.get(), &one) != REDIS_OK) {
      const bool has_none_made = reader_->err == REDIS_ERR_OOM;
      return has_none_made ? "no memory for a reply, or arrays in it too deep" : reader_->errstr;
    }
    if (one == nullptr) break;
    const std::unique_ptr<Reply> reply(static_cast<Reply*>(one));
    replies.push_back(std::move(*reply));
    // The bytes that hiredis has not read yet are those behind the complete reply.
    part_bytes_ = reader_->len - reader_->pos;
  }
  if (part_bytes_ > most_bytes_) {
    return "a reply of more than " + std::to_string(most_bytes_) + " bytes";
  }
  return {};
}

}  // namespace bloomery::redis
