// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/module/connection.h"

namespace bloomery::module_bench {

// Items are numbers, written with this many digits.
inline constexpr std::size_t kItemBytes = 16;

// An exchange is what is sent in one go, and what comes back for it.
struct Exchange {
  std::string requests{};
  std::size_t reply_bytes = 0;
  std::size_t items = 0;
};

// How items are sent: `pipeline` commands in one go, with `batch` items each.
struct Shape {
  std::string command;  // BF.ADD, ...: the name says whether the reply is an array
  std::size_t batch = 1;
  std::size_t pipeline = 1;

  std::size_t items() const noexcept { return batch * pipeline; }
  bool is_array() const noexcept { return command.starts_with("BF.M"); }
};

// The items number(0), number(1), ... of one exchange, for the filter `key`.
template <class Number>
Exchange make_exchange(const Shape& shape, std::string_view key, Number number);

// Makes an exchange of string commands, whose keys and values are items too: GET key, or SET key
// value.
enum class StringCommand { get, set };
template <class Number>
Exchange make_exchange(StringCommand command, std::size_t pipeline, Number number);

// How many of the items of an exchange its replies say 1 for.
std::size_t count_ones(const Shape& shape, std::string_view replies);

namespace detail {
void append_head(std::string& out, const Shape& shape, std::string_view key);
void append_head(std::string& out, StringCommand command);
void append_item(std::string& out, std::uint64_t number);
std::size_t reply_bytes(const Shape& shape);
std::size_t reply_bytes(StringCommand command);
}  // namespace detail

template <class Number>
Exchange make_exchange(const Shape& shape, std::string_view key, Number number) {
  Exchange exchange{.reply_bytes = detail::reply_bytes(shape), .items = shape.items()};
  for (std::size_t i = 0; i < shape.pipeline; ++i) {
    detail::append_head(exchange.requests, shape, key);
    for (std::size_t j = 0; j < shape.batch; ++j) {
      detail::append_item(exchange.requests, number(i * shape.batch + j));
    }
  }
  return exchange;
}

template <class Number>
Exchange make_exchange(StringCommand command, std::size_t pipeline, Number number) {
  Exchange exchange{.reply_bytes = pipeline * detail::reply_bytes(command), .items = pipeline};
  for (std::size_t i = 0; i < pipeline; ++i) {
    detail::append_head(exchange.requests, command);
    detail::append_item(exchange.requests, number(i));
    if (command == StringCommand::set) detail::append_item(exchange.requests, number(i));
  }
  return exchange;
}

}  // namespace bloomery::module_bench
