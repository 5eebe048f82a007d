// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/command_arguments.h"

// Arguments of the GUARD.* commands.
namespace bloomery::module::guard {

inline constexpr Argument kCount = value("numkeys", ArgumentType::integer);
inline constexpr Argument kKeys{.name = "key", .type = ArgumentType::key, .flags = kRepeated};
inline constexpr Argument kFilter{.name = "filter", .type = ArgumentType::key};
inline constexpr Argument kFamily = value("family", ArgumentType::text);
inline constexpr Argument kIdentity = value("identity", ArgumentType::text);
inline constexpr Argument kSource = value("source", ArgumentType::text);
inline constexpr Argument kPosition = value("position", ArgumentType::text);
inline constexpr Argument kToken = value("token", ArgumentType::text);
inline constexpr Argument kLife = value("life", ArgumentType::integer);
inline constexpr Argument kIds{.name = "lease", .flags = kRepeated};

inline constexpr Argument kGet[]{
    kCount,
    kKeys,
    kFamily,
    kIdentity,
    kSource,
    kPosition,
    kToken,
    kLife,
    kItemsArgument,
    {.name = "milliseconds", .type = ArgumentType::integer, .token = "BLOCK", .flags = kOptional},
    {}};
inline constexpr Argument kKinds[]{token("value", "V", 0), token("none", "N", 0), {}};
inline constexpr Argument kEntry[]{value("lease", ArgumentType::text),
                                   {.name = "kind", .type = ArgumentType::one_of, .parts = kKinds},
                                   kLife,
                                   value("refresh", ArgumentType::integer),
                                   value("data", ArgumentType::text),
                                   {}};
inline constexpr Argument kPut[]{
    kCount,
    kKeys,
    {.name = "entry", .type = ArgumentType::block, .flags = kRepeated, .parts = kEntry},
    {}};
inline constexpr Argument kDrop[]{kCount, kKeys, kIds, {}};
inline constexpr Argument kAnnounce[]{kCount,    kKeys,  kFamily, kIdentity,      kSource,
                                      kPosition, kToken, kLife,   kItemsArgument, {}};
inline constexpr Argument kErase[]{kCount, kKeys, kToken, {}};
inline constexpr Argument kAsk[]{kCount,  kFilter,   kFamily,        kIdentity,
                                 kSource, kPosition, kItemsArgument, {}};
inline constexpr Argument kInsert[]{kCount, kFilter, kFamily, kItemsArgument, {}};
inline constexpr Argument kOpen[]{kCount, kKeys, kFamily, {}};
inline constexpr Argument kEnter[]{
    kCount, kKeyArgument, kToken, value("most", ArgumentType::integer), kLife, {}};
inline constexpr Argument kLeave[]{kCount, kKeyArgument, kToken, {}};

}  // namespace bloomery::module::guard
