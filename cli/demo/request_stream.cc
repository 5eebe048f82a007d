// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/request_stream.h"

#include <algorithm>
#include <charconv>
#include <random>

#include "bloomery/bits/memory_limit.h"
#include "cli/split_mix.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kMostAbsentBytes = 20;

// All 64 bits as 14 letters.
std::size_t write_letters(std::uint64_t number, char* out) noexcept {
  constexpr std::size_t kLetters = 14;
  for (std::size_t i = 0; i < kLetters; ++i, number /= 26) {
    out[i] = static_cast<char>('a' + number % 26);
  }
  return kLetters;
}

// An odd multiplier makes the low 62 bits a bijection; above them, beyond all that counters reach.
std::size_t write_digits(std::uint64_t number, char* out) noexcept {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 62;
  const std::uint64_t integer = kFirst | (number * 0x9e3779b97f4a7c15 % kFirst);
  return static_cast<std::size_t>(std::to_chars(out, out + kMostAbsentBytes, integer).ptr - out);
}

// Ranks from 0, rank r with a chance like 1/(r+1).
class ZipfRanks {
 public:
  explicit ZipfRanks(std::size_t count) {
    double sum = 0;
    for (std::size_t i = 1; i <= count; ++i) sums_.push_back(sum += 1 / static_cast<double>(i));
  }

  std::size_t draw(std::mt19937_64& random) const {
    const double place = static_cast<double>(random() >> 11) * 0x1p-53 * sums_.back();
    const auto found = std::ranges::upper_bound(sums_, place);
    return std::min(static_cast<std::size_t>(found - sums_.begin()), sums_.size() - 1);
  }

 private:
  std::vector<double> sums_;
};

}  // namespace

RequestStream::RequestStream(std::span<const std::string> real_keys, const StreamOptions& options) {
  require_memory(options.request_count, sizeof(Request) + kMostAbsentBytes);
  std::mt19937_64 random(options.seed);
  first_number_ = random();
  const ZipfRanks ranks(real_keys.size());
  requests_.reserve(options.request_count);
  absent_bytes_.resize(options.request_count * kMostAbsentBytes);
  for (std::uint64_t i = 0; i < options.request_count; ++i) {
    const bool is_real = random() % kRequestsPerReal == 0;
    const Key key =
        is_real ? Key(real_keys[ranks.draw(random)]) : make_absent(options.integer_keys);
    requests_.push_back({key, is_real});
  }
}

Key RequestStream::make_absent(bool integer) {
  const std::uint64_t number = first_number_ + absent_count_++;
  char* const out = absent_bytes_.data() + used_;
  const std::size_t length =
      integer ? write_digits(number, out) : write_letters(scramble(number), out);
  used_ += length;
  return {out, length};
}

}  // namespace bloomery::cli
