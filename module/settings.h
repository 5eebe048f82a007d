// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// The module's settings, and how it reads numbers. Knows no server.
namespace bloomery::module {

inline constexpr double kMostRate = 0.25;  // higher ones are lowered to this
inline constexpr std::uint32_t kMostExpansion = 32768;
inline constexpr std::uint64_t kUsualMostCapacity = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kMostCapacity = std::uint64_t{1} << 40;

inline constexpr std::uint64_t kUsualDeltaBytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t kMostDeltaBytes = std::uint64_t{1} << 32;

inline constexpr std::uint32_t kMostReadClients = 10'000;

inline constexpr std::uint32_t kMostBucketSize = 255;
inline constexpr std::uint32_t kMostIterations = 65535;
inline constexpr std::uint32_t kMostExpansions = 65536;

// The parameters of filters that are made without their own: of cuckoo filters here, of others in
// Settings.
struct CuckooSettings {
  std::uint32_t bucket_size = 2;
  std::uint64_t capacity = 1024;
  std::uint32_t max_iterations = 20;
  std::uint32_t expansion = 1;  // 0: does not grow
  std::uint32_t max_expansions = 32;
};
struct Settings {
  double error_rate = 0.01;
  std::uint64_t capacity = 100;
  std::uint32_t expansion = 2;  // 0: does not grow
  std::uint64_t most_capacity = kUsualMostCapacity;
  std::uint64_t delta_bytes = kUsualDeltaBytes;  // of hashes kept for copies, a filter; 0: none
  std::uint32_t read_clients = 8;                // read whole filters at once; 0: as many as come
  CuckooSettings cuckoo{};
  bool is_replay = false;  // a primary or a file decided what a command says: defaults stay out
};

// One of them, as users know it: a rate, or whole numbers.
struct Setting {
  const char* name;
  const char* old_name = nullptr;  // RedisBloom's before 8
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  void (*put)(Settings& settings, std::uint64_t value) = nullptr;  // null: the rate
  std::uint64_t (*get)(const Settings& settings) = nullptr;

  // Throw std::invalid_argument, in RedisBloom's words: the first, which changes nothing then,
  // where no settings can have this, and the second, where these cannot beside their others.
  void set(Settings& settings, std::string_view text) const;
  void require_fits(const Settings& settings) const;
  std::string text(const Settings& settings) const;
};
std::span<const Setting> all_settings() noexcept;

// Pairs of a name and a value, as behind the path in `loadmodule`. Throws std::invalid_argument.
Settings parse_settings(std::span<const std::string_view> words);

// Read a number as servers do: the whole of the text, and nothing but it. None for other text.
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;
std::optional<double> parse_real(std::string_view text) noexcept;

bool same_word(std::string_view text, std::string_view word) noexcept;  // of any case

}  // namespace bloomery::module
