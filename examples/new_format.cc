// SPDX-License-Identifier: Apache-2.0
// Another system's filter in a program of your own, to copy: say what the system means by a key,
// and its bytes become a filter that answers as it does. The steps are those of
// docs/contributing/add_a_format.md, by which the library itself takes one.
#include <bloomery/bloomery.h>

#include <cstring>
#include <iostream>
#include <string>
#include <vector>

using namespace bloomery;

// Step 1: a number that no other scheme has. In the library it is a line of FilterKind.
constexpr FilterKind kAcme{200};

// Step 2: the picture of the bytes, and the scheme: which bits a key has. This system is made up:
//
//   +--------+-------+-------+---------------------------------------+
//   | "ACME" | k 4B  | m 8B  | the bits, bit i in byte i / 8, low first |
//   +--------+-------+-------+---------------------------------------+
//
// Probe i is (a + i b) mod m, with a and b the halves of FNV-1a over the key.
struct AcmeProbes {
  static constexpr FilterKind kKind = kAcme;

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

// Step 3: the functions that decode and encode. In the library a Format names them, and the kind.
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

// Step 4: nothing here, as a program calls read_acme() by its name. In the library a line of
// formats.cc makes every command take acme:FILE.
//
// Step 5: a test. In the library it has vectors that the system itself made.
//
// Step 6: nothing here, as these filters are in no server.
//
// Step 7: nothing here, as the calculator does not know this system.
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
