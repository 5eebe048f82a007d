// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct redisReader;

namespace bloomery::redis {

// A reply of a server, which owns all of its text and elements.
struct Reply {
  enum class Type : std::uint8_t { nil, status, error, number, text, array };

  Type type = Type::nil;
  std::int64_t number = 0;
  std::string text{};  // of status, error and text
  std::vector<Reply> elements{};

  bool is(Type other) const noexcept { return type == other; }
  bool is_status(std::string_view word) const noexcept {
    return type == Type::status && text == word;
  }
};

// Returns whether the reply is the answer to ROLE that a server of this role gives.
bool is_role(const Reply& reply, std::string_view role) noexcept;

// The most values that one reply may have in all of its arrays: as many arguments as a server takes
// in one command.
inline constexpr std::size_t kMostReplyValues = std::size_t{1} << 20;

// Replies out of bytes that come from anywhere: of RESP2, at most eight arrays deep, and of a size
// that is bounded. Memory is taken as bytes come, never for what they announce; a reply that
// announces more than is allowed is refused at once, whether the rest of it comes or not.
class ReplyReader {
 public:
  explicit ReplyReader(std::size_t most_bytes = 256 * 1024 * 1024);
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // Appends the replies that are complete with these bytes. Returns why the bytes are no replies,
  // or not to be taken; empty where they are. After that it takes no more.
  std::string feed(std::string_view bytes, std::vector<Reply>& replies);
  // Returns whether the beginning of a reply has come.
  bool has_part() const noexcept { return part_bytes_ > 0; }

 private:
  struct Free {
    void operator()(redisReader* reader) const noexcept;
  };

  std::string why_failed() const;
  std::string why_not_to_wait() const;

  const std::size_t most_bytes_;
  std::size_t part_bytes_ = 0;  // of the reply that is not complete
  std::size_t announced_ = 0;   // values in its arrays
  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace bloomery::redis
