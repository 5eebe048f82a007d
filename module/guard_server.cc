// SPDX-License-Identifier: Apache-2.0
#include "module/guard_server.h"

#include <utility>

#include "module/call.h"
#include "module/refusal.h"

namespace bloomery::module {
namespace {

// Formats of a call: ! replicated, S as of a script, C with the caller's rights, E errors are
// replies, M `maxmemory` is kept, W nothing is written, v the words are strings.
constexpr const char* kReading = "SCEWv";
constexpr const char* kFirstWriting = "!SCEMv";
constexpr const char* kWriting = "!SCEv";  // a script that has written may end what it began

ServerReply checked(ServerReply reply) {
  if (reply.is_error()) throw Refusal(std::string(reply.text().value_or("ERR")));
  return reply;
}

}  // namespace

ServerWords::~ServerWords() {
  for (String* const each : own_) api().free_string(context_, each);
}

ServerWords& ServerWords::add(std::string_view text) {
  own_.reserve(own_.size() + 1);
  words_.reserve(words_.size() + 1);
  own_.push_back(api().create_string(context_, text.empty() ? "" : text.data(), text.size()));
  words_.push_back(own_.back());
  return *this;
}

ServerReply::~ServerReply() {
  if (is_whole_ && reply_ != nullptr) api().free_reply(reply_);
}

ServerReply::ServerReply(ServerReply&& from) noexcept
    : reply_(std::exchange(from.reply_, nullptr)), is_whole_(from.is_whole_) {}

ReplyType ServerReply::type() const noexcept {
  return reply_ == nullptr ? ReplyType::unknown : static_cast<ReplyType>(api().reply_type(reply_));
}

std::optional<std::string_view> ServerReply::text() const noexcept {
  if (type() != ReplyType::text && type() != ReplyType::error) return std::nullopt;
  std::size_t size = 0;
  const char* const bytes = api().reply_text(reply_, &size);
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

std::optional<long long> ServerReply::number() const noexcept {
  if (type() != ReplyType::integer) return std::nullopt;
  return api().reply_integer(reply_);
}

std::size_t ServerReply::size() const noexcept {
  return type() == ReplyType::array ? api().reply_length(reply_) : 0;
}

ServerReply ServerReply::operator[](std::size_t i) const noexcept {
  return {i < size() ? api().reply_element(reply_, i) : nullptr, false};
}

ServerReply GuardServer::try_read(const char* command, ServerWords& words) {
  return {api().call(context_, command, kReading, words.data(), words.size()), true};
}

ServerReply GuardServer::try_write(const char* command, ServerWords& words) {
  ServerReply reply(api().call(context_, command, has_written_ ? kWriting : kFirstWriting,
                               words.data(), words.size()),
                    true);
  const bool is_refused = reply.is_error() && reply.text().value_or("").starts_with("OOM ");
  has_written_ = has_written_ || !is_refused;
  return reply;
}

ServerReply GuardServer::read(const char* command, ServerWords& words) {
  return checked(try_read(command, words));
}

ServerReply GuardServer::write(const char* command, ServerWords& words) {
  return checked(try_write(command, words));
}

}  // namespace bloomery::module
