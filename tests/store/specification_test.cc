// SPDX-License-Identifier: Apache-2.0
// A second reader, written from docs/format.md alone: it includes nothing of the library but save.
#include <gtest/gtest.h>

#include <cstring>

#include "bloomery/store/native_file.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"

namespace {

using Number = unsigned long long;

struct Reader {
  std::string file;

  Number number(std::size_t offset, std::size_t size) const {
    Number value = 0;
    for (std::size_t i = size; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(file.at(offset + i));
    }
    return value;
  }

  std::size_t body() const { return (64 + number(14, 2) + 4095) / 4096 * 4096; }
  bool has(Number bit) const {
    return (static_cast<unsigned char>(file.at(body() + bit / 8)) >> bit % 8 & 1) != 0;
  }

  static Number range(Number x, Number n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<Number>(static_cast<Wide>(x) * n >> 64);
  }

  bool may_contain(Number key) const {
    Number h1 = key ^ ((number(16, 8) + 1) * 0x9e3779b97f4a7c15);
    h1 = (h1 ^ (h1 >> 30)) * 0xbf58476d1ce4e5b9;
    h1 = (h1 ^ (h1 >> 27)) * 0x94d049bb133111eb;
    h1 = h1 ^ (h1 >> 31);
    const Number p = (h1 ^ 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
    const Number h2 = p ^ (p >> 32);
    if (number(10, 1) == 6) return windowed(h1, h2);
    return number(10, 1) == 1 ? classic(h1, h2) : blocked(h1, h2);
  }

  bool classic(Number h1, Number h2) const {
    for (Number i = 0; i < number(12, 1); ++i) {
      Number m = h1 + i * h2;
      m = (m ^ (m >> 32)) * 0xd1342543de82ef95;
      if (!has(range(m ^ (m >> 29), number(24, 8)))) return false;
    }
    return true;
  }

  bool blocked(Number h1, Number h2) const {
    const Number probes = number(12, 1);
    const Number bit_count = number(24, 8);
    if (number(13, 1) == 1) return line(range(h1, bit_count / 512), h2, probes);
    const Number lines = bit_count / 1024;
    const Number g1 = (h1 ^ h2) * 0xa0761d6478bd642f;
    const Number g2 = ((h2 << 13) | (h2 >> 51)) + h1;
    return line(range(h1, lines), h2, (probes + 1) / 2) &&
           line(lines + range(g1, lines), g2, probes / 2);
  }

  // Reads a number of the window's field, which is the last: 4 bytes, and 28 with zeros.
  Number window(std::size_t offset, std::size_t size) const {
    return number(64 + number(14, 2) - 28 + offset, size);
  }

  // Asks a window by count.
  bool windowed(Number h1, Number h2) const {
    const Number slots = window(8, 4) + 1;
    const Number now = slots + number(body(), 8) * window(8, 4) / number(32, 8);
    const Number halves = number(13, 1);
    const Number lines = window(16, 8) / 256 / halves;
    const Number g1 = (h1 ^ h2) * 0xa0761d6478bd642f;
    const Number g2 = ((h2 << 13) | (h2 >> 51)) + h1;
    const Number first = (number(12, 1) + halves - 1) / halves;
    for (Number id = now - slots + 1; id <= now; ++id) {
      if (in_generation(id, range(h1, lines), h2, first) &&
          (halves == 1 || in_generation(id, lines + range(g1, lines), g2, number(12, 1) - first))) {
        return true;
      }
    }
    return false;
  }

  bool in_generation(Number id, Number group, Number w, Number probes) const {
    const Number slots = window(8, 4) + 1;
    const Number groups = window(16, 8) / 256;
    const Number stamp = number(body() + 64 + group / 16 * 8, 8);
    if (id > stamp || id + slots <= stamp) return false;
    const Number stamp_bytes = ((groups + 15) / 16 * 8 + 63) / 64 * 64;
    const Number half_line = 64 + stamp_bytes + (group * slots + id % slots) * 32;
    for (Number i = 0; i < probes; ++i) {
      const Number lane = ((w >> 20) + i) % 8;
      const Number bit = (w >> (5 * (lane / 2) + 32 * (lane % 2))) % 32;
      if (!has(half_line * 8 + lane * 32 + bit)) return false;
    }
    return true;
  }

  bool line(Number at, Number w, Number probes) const {
    for (Number i = 0; i < probes; ++i) {
      const Number lane = ((w >> 48) + i) % 8;
      if (!has(at * 512 + lane * 64 + (w >> 6 * lane) % 64)) return false;
    }
    return true;
  }
};

TEST(Specification, IsEnoughToReadAFileBy) {
  const bloomery::testing::ScratchFolder folder;
  for (const auto kind : {bloomery::FilterKind::classic, bloomery::FilterKind::blocked,
                          bloomery::FilterKind::windowed}) {
    for (const double rate : {0.1, 0.01, 0.001, 1e-5, 1e-8}) {
      auto filter = bloomery::make_filter(
          kind, {.capacity = 1000, .false_positive_rate = rate, .seed = 12345});
      for (Number key = 0; key < 1700; ++key) {
        filter.insert({reinterpret_cast<const char*>(&key), sizeof key});
      }
      bloomery::save(filter, folder / "f", {.notes = {.note = "by the book"}});
      const Reader reader{bloomery::testing::read_file(folder / "f")};
      for (Number key = 0; key < 20'000; ++key) {
        const bool found = filter.may_contain({reinterpret_cast<const char*>(&key), sizeof key});
        ASSERT_EQ(reader.may_contain(key), found) << key << " at " << rate;
      }
    }
  }
}

}  // namespace
