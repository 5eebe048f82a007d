// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/format/native/file_header.h"
#include "bloomery/hash/hash_pair.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/positions.h"

// A filter of our own in one string of a server, where no module is needed: the bytes of a native
// file (docs/format.md), whose head says that the body is live. So GET gives a file, which
// `bloomery insert --in-place --recover` seals, and SET of a file makes a filter.
namespace bloomery::redis {

inline constexpr std::uint64_t kMostStringBytes = 512ULL * 1024 * 1024;

// Returns the bytes with which every filter of ours begins, and every index.
std::string_view native_magic() noexcept;

// The head of such a string.
struct NativeBitmapHead {
  std::string bytes{};  // header and fields
  FileHeader header{};

  // Returns whether keys have the same bits in both filters.
  bool has_bits_of(const NativeBitmapHead& other) const;
  PlaceHead place_head() const;
};

// How many bytes to read where this head was: more than it has, as a field may be added to it.
std::uint64_t read_length(const NativeBitmapHead& head) noexcept;

// The head of a string of `byte_count` bytes, of which `bytes` are the first: at least the header
// and the fields. Throws FormatError for bytes that are no head, for a file that a writer had open,
// and for a kind of filter that does not live in strings.
NativeBitmapHead read_native_head(std::string_view bytes, std::uint64_t byte_count);

// Reads the head of the string at a key. Throws StoreError if nothing is there, or no filter of
// ours.
NativeBitmapHead read_native_head(Client& client, const std::string& key, const std::string& name,
                                  const CallContext& context = {});

// Throw std::invalid_argument for a kind whose bits are more than one array, or are cleared by
// anything, and for a filter that has more bytes than so many strings take. `name` is its place.
void require_lives_in_string(FilterKind kind, const std::string& name);
void require_lives_in_string(const FilterContents& contents, std::uint32_t partitions,
                             const std::string& name);

// KeyBits: where the bits of several keys are in the body of a string, one key after the other. A
// partition may have some bits of a key and not the others.
struct KeyBits {
  std::vector<std::uint64_t> positions{};
  std::vector<std::size_t> ends{};  // behind those of each key
  std::vector<HashPair> hashes{};   // of each key, where steps are kept beside the string

  std::size_t size() const noexcept { return ends.size(); }
  std::size_t begin_of(std::size_t key) const noexcept { return key == 0 ? 0 : ends[key - 1]; }
};

// The number that SETBIT and BITFIELD give to the bit at that position of the body.
std::uint64_t string_offset(const FileLayout& layout, std::uint64_t position) noexcept;

// Return where the bits of a key are, in the body, and the pair of hashes that says so.
Positions native_positions(const FilterParameters& parameters);
using Hashes = std::function<HashPair(Key key)>;
Hashes native_hashes(const FilterParameters& parameters);

// The bytes that make of the old head the next one when they are written over it: up to the last
// byte that is not zero in both. Both heads leave the body where it is.
std::string next_head(const NativeBitmapHead& old, const FileHeader& next, const std::string& name);
// Appends an EVAL that does so if the old head is still there. Its reply is 1, or 0 where another
// head is there.
void append_head_exchange(Request& request, const std::string& key, const NativeBitmapHead& old,
                          const FileHeader& next);
// The bytes of a head that say which bits keys have: they stay as long as the filter does.
std::string geometry_bytes(const FileHeader& header);
// The head that says what `header` does. Throws StoreError where it does not fit before the body.
std::string head_bytes(const FileHeader& header, const std::string& name);

}  // namespace bloomery::redis
