// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/command_arguments.h"

// Arguments of the BLOOM.* commands.
namespace bloomery::module::bloom {

inline constexpr Argument kLayouts[]{
    token("blocked", "BLOCKED", 0), token("classic", "CLASSIC", 0), {}};
inline constexpr Argument kHashes[]{
    {.name = "seed", .type = ArgumentType::integer, .token = "SEED"},
    token("secret", "SECRET", 0),
    {}};
inline constexpr Argument kWindow[]{value("seconds", ArgumentType::integer),
                                    {.name = "generations",
                                     .type = ArgumentType::integer,
                                     .token = "GENERATIONS",
                                     .flags = kOptional},
                                    {}};
inline constexpr Argument kReserve[]{
    kKeyArgument,
    value("error_rate", ArgumentType::real),
    value("capacity", ArgumentType::integer),
    {.name = "layout",
     .type = ArgumentType::one_of,
     .token = "LAYOUT",
     .flags = kOptional,
     .parts = kLayouts},
    {.name = "hash", .type = ArgumentType::one_of, .flags = kOptional, .parts = kHashes},
    {.name = "ratio", .type = ArgumentType::real, .token = "TIGHTENING", .flags = kOptional},
    {.name = "expansion", .type = ArgumentType::integer, .token = "EXPANSION", .flags = kOptional},
    token("nx", "NX"),
    {.name = "seconds", .type = ArgumentType::integer, .token = "EX", .flags = kOptional},
    token("counting", "COUNTING"),
    option("window", "WINDOW", kWindow),
    {}};

inline constexpr Argument kApply[]{
    kKeyArgument, value("milliseconds", ArgumentType::time), kItemsArgument, {}};
inline constexpr Argument kFence[]{
    value("source", ArgumentType::text), value("position", ArgumentType::integer), {}};
inline constexpr Argument kCheck[]{
    kKeyArgument, option("fence", "FENCE", kFence), kItemsArgument, {}};
inline constexpr Argument kBeat[]{
    value("beat", ArgumentType::integer),
    {.name = "step", .type = ArgumentType::integer, .token = "BY", .flags = kOptional},
    {}};
inline constexpr Argument kAdvance[]{
    kKeyArgument,
    {.name = "identity", .type = ArgumentType::text, .token = "EPOCH"},
    option("beat", "BEAT", kBeat),
    {.name = "from", .type = ArgumentType::text, .token = "FROM"},
    {.name = "to", .type = ArgumentType::text, .token = "TO"},
    {.name = "item", .type = ArgumentType::text, .token = "ITEMS", .flags = kOptional | kRepeated},
    {}};
inline constexpr Argument kInfo[]{kKeyArgument, token("watermark", "WATERMARK"), {}};
inline constexpr Argument kReadPiece[]{kKeyArgument,
                                       value("offset", ArgumentType::integer),
                                       value("bytes", ArgumentType::integer),
                                       {}};
inline constexpr Argument kSinceEntry[]{
    value("name", ArgumentType::text), value("sequence", ArgumentType::integer), {}};
inline constexpr Argument kDelta[]{
    kKeyArgument,
    {.name = "since", .type = ArgumentType::block, .token = "SINCE", .parts = kSinceEntry},
    {.name = "milliseconds", .type = ArgumentType::integer, .token = "BLOCK", .flags = kOptional},
    {}};
inline constexpr Argument kMerge[]{
    {.name = "destination", .type = ArgumentType::key},
    {.name = "source", .type = ArgumentType::key, .flags = kRepeated},
    {}};

inline constexpr Argument kAt[]{
    value("offset", ArgumentType::integer),
    value("data", ArgumentType::text),
    {.name = "id", .type = ArgumentType::text, .token = "ID", .flags = kOptional},
    {}};
inline constexpr Argument kPut[]{value("target", ArgumentType::text),
                                 value("bytes", ArgumentType::integer),
                                 value("offset", ArgumentType::integer),
                                 value("data", ArgumentType::text),
                                 {}};
inline constexpr Argument kLoadId{
    .name = "id", .type = ArgumentType::text, .token = "ID", .flags = kOptional};
inline constexpr Argument kBegin[]{
    {.name = "bytes", .type = ArgumentType::integer, .flags = kOptional},
    kLoadId,
    {.name = "seconds", .type = ArgumentType::integer, .token = "EX", .flags = kOptional},
    {}};
inline constexpr Argument kBytes[]{value("bytes", ArgumentType::integer), kLoadId, {}};
inline constexpr Argument kCommit[]{token("commit", "COMMIT", 0), kLoadId, {}};
inline constexpr Argument kAbort[]{token("abort", "ABORT", 0), kLoadId, {}};
inline constexpr Argument kSteps[]{
    {.name = "load", .type = ArgumentType::block, .token = "BEGIN", .parts = kBegin},
    {.name = "length", .type = ArgumentType::block, .token = "BYTES", .parts = kBytes},
    {.name = "piece", .type = ArgumentType::block, .token = "AT", .parts = kAt},
    {.name = "end", .type = ArgumentType::block, .parts = kCommit},
    {.name = "stop", .type = ArgumentType::block, .parts = kAbort},
    {.name = "head", .type = ArgumentType::text, .token = "EMPTY"},
    {.name = "stored", .type = ArgumentType::block, .token = "PUT", .parts = kPut},
    token("turn", "TURN", 0),
    {}};
inline constexpr Argument kLoad[]{
    kKeyArgument, {.name = "step", .type = ArgumentType::one_of, .parts = kSteps}, {}};

}  // namespace bloomery::module::bloom
