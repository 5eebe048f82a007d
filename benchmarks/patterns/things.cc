// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "benchmarks/patterns/number_shapes.h"
#include "benchmarks/patterns/rate_patterns.h"

namespace bloomery::bench {
namespace {

using U64 = std::uint64_t;

constexpr U64 k32 = U64{1} << 32;
constexpr U64 k31 = k32 / 2;

U64 bits_of(double number) noexcept {
  return std::bit_cast<U64>(number);
}
U64 bits_of(float number) noexcept {
  return std::bit_cast<std::uint32_t>(number);
}
U64 swapped(U64 number) noexcept {
  return __builtin_bswap64(number);
}

struct Shape {
  const char* name;
  U64 count;
  U64 (*number)(U64 i);
};

constexpr Shape kTimes[] = {
    {"ns, by 1 us", kEveryNumber >> 10,
     [](U64 i) { return 1'764'200'000'000'000'000 + i * 1'000; }},
    {"ns, by 1 ms", kEveryNumber >> 20,
     [](U64 i) { return 1'764'200'000'000'000'000 + i * 1'000'000; }},
    {"ns, by 1 s", kEveryNumber >> 30,
     [](U64 i) { return 1'764'200'000'000'000'000 + i * 1'000'000'000; }},
    {"ms", kEveryNumber, [](U64 i) { return 1'764'200'000'000 + i; }},
    {"snowflakes, 16 a ms", U64{1} << 40,
     [](U64 i) { return (1'500'000'000 + i / 16) << 22 | i % 16; }},
    {"snowflakes, 1 a ms", U64{1} << 40, [](U64 i) { return (1'500'000'000 + i) << 22 | 3 << 12; }},
};

constexpr Shape kAddresses[] = {
    {"IPv4", k31, [](U64 i) { return 0x0a000000 + i; }},
    {"IPv4, network order", k31, [](U64 i) { return swapped(0x0a000000 + i) >> 32; }},
    {"IPv4 and port", k31, [](U64 i) { return (0x0a000000 + i / 8) << 16 | (1024 + i % 8); }},
    {"IPv4 pairs", k31,
     [](U64 i) { return (0x0a000000 + i / 1024) << 32 | (0xc0a80000 + i % 1024); }},
    {"IPv6 networks", k32, [](U64 i) { return 0x20010db800000000 + (i << 16); }},
    {"IPv6 networks, network order", k32,
     [](U64 i) { return swapped(0x20010db800000000 + (i << 16)); }},
    {"IPv6 interfaces", k32, [](U64 i) { return 0x021122fffe000000 + i; }},
    {"pages", U64{1} << 50, [](U64 i) { return 0x7f1234560000 + i * 4096; }},
    {"pointers", U64{1} << 50, [](U64 i) { return 0x55d012345670 + i * 64; }},
};

constexpr Shape kNumbers[] = {
    {"double i", k32, [](U64 i) { return bits_of(static_cast<double>(i + 1)); }},
    {"double i / 10", k32, [](U64 i) { return bits_of(static_cast<double>(i + 1) / 10); }},
    {"double 1 / i", k32, [](U64 i) { return bits_of(1 / static_cast<double>(i + 1)); }},
    {"double 1 + i eps", U64{1} << 52, [](U64 i) { return bits_of(1.0) + i; }},
    {"double i * 2^20", k32, [](U64 i) { return bits_of(static_cast<double>(i + 1) * 0x1p20); }},
    {"float i", U64{1} << 24, [](U64 i) { return bits_of(static_cast<float>(i + 1)); }},
    {"float pairs", U64{1} << 36,
     [](U64 i) {
       return bits_of(static_cast<float>(i / 4096 + 1)) << 32 |
              bits_of(static_cast<float>(i % 4096));
     }},
    {"digits, base 10", 100'000'000, [](U64 i) { return as_digits(i, 10); }},
    {"digits, base 16", k32, [](U64 i) { return as_digits(i, 16); }},
    {"digits, base 36", U64{1} << 41, [](U64 i) { return as_digits(i, 36); }},
    {"i * i", k32, [](U64 i) { return i * i; }},
};

constexpr Shape kBits[] = {
    {"bits reversed", kEveryNumber, bits_reversed},
    {"bytes swapped", kEveryNumber, swapped},
    {"few bits", k32, with_few_bits},
    {"~few bits", k32, [](U64 i) { return ~with_few_bits(i); }},
    {"Gray", kEveryNumber, [](U64 i) { return i ^ i >> 1; }},
    {"Gray << 32", k32, [](U64 i) { return (i ^ i >> 1) << 32; }},
    {"Gray, bits reversed", kEveryNumber, [](U64 i) { return bits_reversed(i ^ i >> 1); }},
    {"-i", kEveryNumber, [](U64 i) { return U64{0} - i; }},
    {"i | i << 32", k32, [](U64 i) { return i | i << 32; }},
    {"i i i i", k32, [](U64 i) { return (i & 0xffff) * 0x0001000100010001 + (i >> 16); }},
    {"Morton", k32, bits_apart},
    {"grid of 4096", k32, [](U64 i) { return i / 4096 << 32 | i % 4096; }},
    {"grid of 4096 << 20", k32, [](U64 i) { return i / 4096 << 44 | i % 4096 << 20; }},
    {"low and top 20", U64{1} << 40, [](U64 i) { return (i & 0xfffff) << 44 | i >> 20; }},
    {"bits reversed << 16", k31, [](U64 i) { return bits_reversed(i) >> 32 << 16; }},
    {"i ^ i << 13 ^ i << 41", kEveryNumber, [](U64 i) { return i ^ i << 13 ^ i << 41; }},
    {"i ^ i << 30", kEveryNumber, [](U64 i) { return i ^ i << 30; }},
};

template <std::size_t kCount>
void add(std::vector<RatePattern>& patterns, const Shape (&shapes)[kCount]) {
  for (const Shape& shape : shapes) {
    patterns.push_back(integers(shape.name, shape.count, shape.number));
  }
}

}  // namespace

void add_things(std::vector<RatePattern>& patterns) {
  add(patterns, kTimes);
  add(patterns, kAddresses);
  add(patterns, kNumbers);
  add(patterns, kBits);
}

}  // namespace bloomery::bench
