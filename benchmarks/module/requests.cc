// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/module/requests.h"

#include <array>

namespace bloomery::module_bench {
namespace {

constexpr std::size_t kNumberReplyBytes = 4;  // :1\r\n

// *1000\r\n
std::size_t array_head_bytes(const Shape& shape) {
  return shape.is_array() ? 3 + std::to_string(shape.batch).size() : 0;
}

}  // namespace

namespace detail {

void append_head(std::string& out, const Shape& shape, std::string_view key) {
  out += "*" + std::to_string(2 + shape.batch) + "\r\n";
  for (const std::string_view each : {std::string_view(shape.command), key}) {
    out += "$" + std::to_string(each.size()) + "\r\n";
    out += each;
    out += "\r\n";
  }
}

void append_head(std::string& out, StringCommand command) {
  out += command == StringCommand::get ? "*2\r\n$3\r\nGET\r\n" : "*3\r\n$3\r\nSET\r\n";
}

void append_item(std::string& out, std::uint64_t number) {
  std::array<char, 5 + kItemBytes + 2> text{'$', '1', '6', '\r', '\n'};
  static_assert(kItemBytes == 16);
  for (std::size_t i = kItemBytes; i-- > 0; number /= 10) {
    text[5 + i] = static_cast<char>('0' + number % 10);
  }
  text[5 + kItemBytes] = '\r';
  text[6 + kItemBytes] = '\n';
  out.append(text.data(), text.size());
}

std::size_t reply_bytes(const Shape& shape) {
  return shape.pipeline * (array_head_bytes(shape) + shape.batch * kNumberReplyBytes);
}

std::size_t reply_bytes(StringCommand command) {
  return command == StringCommand::get ? 5 + kItemBytes + 2 : 5;  // $16\r\n, or +OK\r\n
}

}  // namespace detail

std::size_t count_ones(const Shape& shape, std::string_view replies) {
  std::size_t ones = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < shape.pipeline; ++i) {
    at += array_head_bytes(shape);
    for (std::size_t j = 0; j < shape.batch; ++j, at += kNumberReplyBytes) {
      ones += replies[at + 1] == '1' ? 1U : 0U;
    }
  }
  return ones;
}

}  // namespace bloomery::module_bench
