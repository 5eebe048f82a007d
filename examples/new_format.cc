// SPDX-License-Identifier: Apache-2.0
// Another system's filter in a program of your own, to copy: say what the system means by a key,
// and its bytes become a filter that answers as it does. (Adding one to the library, so that every
// command takes it: docs/architecture.md.)
#include <bloomery/bloomery.h>

#include <cstring>
#include <iostream>
#include <string>
#include <vector>

using namespace bloomery;

// The system is made up: four bytes "ACME", k (4), m (8), then the bits, from the least significant
// of each byte; probe i is (a + i b) mod m, with a and b the halves of FNV-1a over the key.
struct AcmeProbes {
  static constexpr FilterKind kKind = FilterKind{200};  // any number that no system here has

  explicit AcmeProbes(const FilterParameters&) noexcept {}

  static Geometry geometry(const FilterOptions& options) {
    validate(options);
    return {.bit_count = 10 * options.capacity, .probe_count = 7};  // whatever the system does
  }
  static HashPair hash(Key key) noexcept {
    std::uint64_t value = 14695981039346656037U;
    for (const char c : key) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return {value >> 32, value & 0xffffffff};
  }
  static std::uint64_t position(HashPair hash, std::uint32_t i, std::uint64_t bit_count) noexcept {
    return (hash.h1 + i * hash.h2) % bit_count;
  }
};
using AcmeFilter = BasicFilter<ClassicLayout<AcmeProbes>, HeapWords>;

constexpr std::size_t kHeadBytes = 16;

// Throws FormatError: every number is checked before it allocates, or a bit is looked at.
AcmeFilter read_acme(const std::string& bytes) {
  FilterParameters parameters{.kind = AcmeProbes::kKind};
  if (bytes.size() < kHeadBytes || !bytes.starts_with("ACME")) throw FormatError("no ACME filter");
  std::memcpy(&parameters.geometry.probe_count, bytes.data() + 4, 4);
  std::memcpy(&parameters.geometry.bit_count, bytes.data() + 8, 8);
  ClassicLayout<AcmeProbes>::check(parameters);  // 1 to 255 probes, 1 to 2^60 bits
  if (bytes.size() - kHeadBytes != (parameters.geometry.bit_count + 7) / 8) {
    throw FormatError("an ACME filter whose bits are cut, or too many");
  }
  HeapWords words(ClassicLayout<AcmeProbes>::word_count(parameters));
  std::memcpy(words.words().data(), bytes.data() + kHeadBytes, bytes.size() - kHeadBytes);
  return {parameters, std::move(words), 0};  // how many keys it has, the bytes do not say
}

std::string write_acme(const AcmeFilter& filter) {
  const Geometry& geometry = filter.parameters().geometry;
  std::string bytes = "ACME" + std::string(kHeadBytes - 4 + (geometry.bit_count + 7) / 8, '\0');
  std::memcpy(bytes.data() + 4, &geometry.probe_count, 4);
  std::memcpy(bytes.data() + 8, &geometry.bit_count, 8);
  std::memcpy(bytes.data() + kHeadBytes, filter.contents().words.front().data(),
              bytes.size() - kHeadBytes);
  return bytes;
}

int main() {
  AcmeFilter made({.capacity = 1000});
  made.insert("alice");
  const AcmeFilter read = read_acme(write_acme(made));
  std::cout << "A filter with alice was written as ACME's bytes and read again: alice "
            << (read.may_contain("alice") ? "may be there" : "is not there") << ", bob "
            << (read.may_contain("bob") ? "may be there" : "is not there") << ".\n";
  try {
    read_acme("ACME and nothing more");
  } catch (const FormatError& error) {
    std::cout << "Bytes that are no such filter are refused, as they should be: \"" << error.what()
              << "\".\n";
  }
  return read.may_contain("alice") && !read.may_contain("bob") ? 0 : 1;
}
