// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "module/redis_api.h"

namespace bloomery::module {

// Words of a command of the server's. Texts that are given here become the server's strings, until
// the end of this.
class ServerWords {
 public:
  explicit ServerWords(Context* context) : context_(context) {}
  ~ServerWords();
  ServerWords(const ServerWords&) = delete;
  ServerWords& operator=(const ServerWords&) = delete;

  ServerWords& add(String* word) {
    words_.push_back(word);
    return *this;
  }
  ServerWords& add(std::string_view text);
  std::size_t size() const noexcept { return words_.size(); }
  String** data() noexcept { return words_.data(); }

 private:
  Context* context_;
  std::vector<String*> words_;
  std::vector<String*> own_;
};

// A reply of the server's, or a part of one.
class ServerReply {
 public:
  ServerReply() = default;
  ServerReply(CallReply* reply, bool is_whole) noexcept : reply_(reply), is_whole_(is_whole) {}
  ~ServerReply();
  ServerReply(ServerReply&& from) noexcept;
  ServerReply& operator=(ServerReply&&) = delete;

  ReplyType type() const noexcept;
  bool is_error() const noexcept { return type() == ReplyType::error; }
  // The bytes of a text or an error; nothing for others.
  std::optional<std::string_view> text() const noexcept;
  std::optional<long long> number() const noexcept;
  std::size_t size() const noexcept;  // of an array; else 0
  // Part i of an array, or an unknown one. It lives no longer than this.
  ServerReply operator[](std::size_t i) const noexcept;

 private:
  CallReply* reply_ = nullptr;
  bool is_whole_ = false;
};

// Runs commands of the server as a script does: with the rights of whoever called, refused where a
// script's would be (too much memory, too few replicas, a disk that fails), and passed on to
// replicas and append-only file by their effects.
class GuardServer {
 public:
  explicit GuardServer(Context* context) noexcept : context_(context) {}

  ServerWords words() const { return ServerWords(context_); }
  // Replies of errors are replies.
  ServerReply try_read(const char* command, ServerWords& words);
  ServerReply try_write(const char* command, ServerWords& words);
  // Throw Refusal with the server's error.
  ServerReply read(const char* command, ServerWords& words);
  ServerReply write(const char* command, ServerWords& words);
  Context* context() const noexcept { return context_; }

 private:
  Context* context_;
  bool has_written_ = false;
};

}  // namespace bloomery::module
