// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/redis_api.h"

// Arguments of commands as COMMAND DOCS tells them. A list of them ends with {}.
namespace bloomery::module {

inline constexpr Argument kKeyArgument{.name = "key", .type = ArgumentType::key};
inline constexpr Argument kItemArgument{.name = "item"};
inline constexpr Argument kItemsArgument{.name = "item", .flags = kRepeated};

inline constexpr Argument kJustKey[]{kKeyArgument, {}};
inline constexpr Argument kKeyAndItem[]{kKeyArgument, kItemArgument, {}};
inline constexpr Argument kKeyAndItems[]{kKeyArgument, kItemsArgument, {}};

constexpr Argument value(const char* name, ArgumentType type) {
  return {.name = name, .type = type};
}
// A word that is there or not.
constexpr Argument token(const char* name, const char* word, int flags = kOptional) {
  return {.name = name, .type = ArgumentType::token, .token = word, .flags = flags};
}
// A word and what follows it, or neither.
constexpr Argument option(const char* name, const char* word, const Argument* values) {
  return {.name = name,
          .type = ArgumentType::block,
          .token = word,
          .flags = kOptional,
          .parts = values};
}

}  // namespace bloomery::module
