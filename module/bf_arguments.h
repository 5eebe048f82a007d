// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/command_arguments.h"

// Arguments of the BF.* commands, under the names that RedisBloom gives them.
namespace bloomery::module::bf {

inline constexpr Argument kCapacity[]{value("capacity", ArgumentType::integer), {}};
inline constexpr Argument kError[]{value("error", ArgumentType::real), {}};
inline constexpr Argument kExpansion[]{value("expansion", ArgumentType::integer), {}};

inline constexpr Argument kNx = token("nx", "NX");
inline constexpr Argument kEx{
    .name = "seconds", .type = ArgumentType::integer, .token = "EX", .flags = kOptional};

inline constexpr Argument kReserve[]{kKeyArgument,
                                     value("error_rate", ArgumentType::real),
                                     kCapacity[0],
                                     option("expansion", "EXPANSION", kExpansion),
                                     token("nonscaling", "NONSCALING"),
                                     kNx,
                                     kEx,
                                     {}};
inline constexpr Argument kInsert[]{kKeyArgument,
                                    option("capacity", "CAPACITY", kCapacity),
                                    option("error", "ERROR", kError),
                                    option("expansion", "EXPANSION", kExpansion),
                                    token("nocreate", "NOCREATE"),
                                    token("nonscaling", "NONSCALING"),
                                    kNx,
                                    kEx,
                                    token("items", "ITEMS", 0),
                                    kItemsArgument,
                                    {}};
inline constexpr Argument kInfoFields[]{
    token("capacity", "CAPACITY", 0),   token("size", "SIZE", 0),
    token("filters", "FILTERS", 0),     token("items", "ITEMS", 0),
    token("expansion", "EXPANSION", 0), {}};
inline constexpr Argument kInfo[]{kKeyArgument,
                                  {.name = "single_value",
                                   .type = ArgumentType::one_of,
                                   .flags = kOptional,
                                   .parts = kInfoFields},
                                  {}};
inline constexpr Argument kIterator = value("iterator", ArgumentType::integer);
inline constexpr Argument kScanDump[]{kKeyArgument, kIterator, {}};
inline constexpr Argument kLoadChunk[]{
    kKeyArgument, kIterator, value("data", ArgumentType::text), {}};

}  // namespace bloomery::module::bf
