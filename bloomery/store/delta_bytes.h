// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

// The bytes of a delta: what makes one version of a native file into a later one. docs/format.md
// has them. They are deterministic: the same two files give the same delta.
namespace bloomery {

inline constexpr std::array<std::uint8_t, 8> kDeltaMagic{0x89, 'D', 'E', 'L', 'T', 'A', '\r', '\n'};

// A checksum of a file's head and body. Every piece but the last must have kDeltaPieceBytes.
inline constexpr std::size_t kDeltaPieceBytes = 64 * 1024;
class DeltaDigest {
 public:
  void add(std::span<const std::byte> piece) noexcept;
  std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
};

// The two files that a delta leads from and to.
struct DeltaEnds {
  std::uint64_t from = 0;  // their digests
  std::uint64_t to = 0;

  friend bool operator==(const DeltaEnds&, const DeltaEnds&) = default;
};

// Codes small numbers by Golomb-Rice, with a parameter that follows the mean of those before.
class RiceModel {
 public:
  unsigned parameter() const noexcept;
  void learn(std::uint64_t value) noexcept;

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t count_ = 1;
};

// The parts of the bytes: a fixed one, the head, the stream of lines, the end.
inline constexpr std::size_t kDeltaBodyBytesAt = 16;
inline constexpr std::size_t kDeltaStartBytes = 24;
inline constexpr std::size_t kDeltaEndBytes = 20;
inline constexpr std::uint8_t kDeltaVersion = 1;

// A line in which more bits change is written as its 512 bits.
inline constexpr unsigned kMostListed = 56;
// A quotient that long stands for 64 bits that follow.
inline constexpr unsigned kLongestQuotient = 24;

// The Rice parameter of the distances between `count` changed bits of a line; count is at most
// kMostListed.
unsigned distance_parameter(std::uint64_t count) noexcept;

}  // namespace bloomery
