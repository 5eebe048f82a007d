#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace bloomery::redis {

// Commands that travel in one trip, as bytes of the protocol.
class Request {
 public:
  Request& add(std::span<const std::string_view> words);
  Request& add(std::initializer_list<std::string_view> words) {
    return add(std::span(words.begin(), words.size()));
  }

  // As many replies come.
  std::size_t size() const noexcept { return size_; }
  std::string_view bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_{};
  std::size_t size_ = 0;
};

}  // namespace bloomery::redis
