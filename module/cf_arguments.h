// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/command_arguments.h"

// Arguments of the CF.* commands, under the names that RedisBloom gives them.
namespace bloomery::module::cf {

inline constexpr Argument kCapacity[]{value("capacity", ArgumentType::integer), {}};
inline constexpr Argument kBucketSize[]{value("bucketsize", ArgumentType::integer), {}};
inline constexpr Argument kIterations[]{value("maxiterations", ArgumentType::integer), {}};
inline constexpr Argument kExpansion[]{value("expansion", ArgumentType::integer), {}};

inline constexpr Argument kReserve[]{kKeyArgument,
                                     kCapacity[0],
                                     option("bucketsize", "BUCKETSIZE", kBucketSize),
                                     option("maxiterations", "MAXITERATIONS", kIterations),
                                     option("expansion", "EXPANSION", kExpansion),
                                     {}};
inline constexpr Argument kInsert[]{kKeyArgument,
                                    option("capacity", "CAPACITY", kCapacity),
                                    token("nocreate", "NOCREATE"),
                                    token("items", "ITEMS", 0),
                                    kItemsArgument,
                                    {}};
inline constexpr Argument kIterator = value("iterator", ArgumentType::integer);
inline constexpr Argument kScanDump[]{kKeyArgument, kIterator, {}};
inline constexpr Argument kLoadChunk[]{
    kKeyArgument, kIterator, value("data", ArgumentType::text), {}};

}  // namespace bloomery::module::cf
