#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filter/filter_place.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/redis/client.h"
#include "bloomery/redis/positions.h"

// A filter of our own in one string of a server, where no module is needed: the bytes of a native
// file (docs/format.md), whose head says that the body is live. So GET gives a file, which
// `bloomery insert --in-place --recover` seals, and SET of a file makes a filter.
namespace bloomery::redis {

inline constexpr std::uint64_t kMostStringBytes = 512ULL * 1024 * 1024;

// With which every filter of ours begins, and every index.
std::string_view native_magic() noexcept;

// The head of such a string.
struct NativeBitmapHead {
  std::string bytes{};  // header and fields
  FileHeader header{};

  // Whether keys have the same bits in both.
  bool has_bits_of(const NativeBitmapHead& other) const;
  PlaceHead place_head() const;
};

// How many bytes are read of a head of this size: a field may be added to it.
std::uint64_t read_length(const NativeBitmapHead& head) noexcept;

// `bytes` are the first of a string of `byte_count`; all of its head, or as much as its fields take
// and whatever else. Throws FormatError for what is no head or says "not closed cleanly", and a
// kind that does not live there.
NativeBitmapHead read_native_head(std::string_view bytes, std::uint64_t byte_count);

// The same of what is at a key. Throws StoreError where nothing is, or no filter of ours.
NativeBitmapHead read_native_head(Client& client, const std::string& key, const std::string& name,
                                  const CallContext& context = {});

// The kinds whose bits are only ever set, one array of them. Throws std::invalid_argument that
// names the others, and for more bytes than a string has.
void require_lives_in_string(FilterKind kind, const std::string& name);
void require_lives_in_string(const FilterContents& contents, std::uint32_t partitions,
                             const std::string& name);

// The bits of several keys, one key after the other: where they are in the body of a string. Of a
// part of a filter those that it has, which is not the same number for each.
struct KeyBits {
  std::vector<std::uint64_t> positions{};
  std::vector<std::size_t> ends{};  // behind those of each key

  std::size_t size() const noexcept { return ends.size(); }
  std::size_t begin_of(std::size_t key) const noexcept { return key == 0 ? 0 : ends[key - 1]; }
};

// Of a key, as SETBIT and BITFIELD count the bits of the string.
std::uint64_t string_offset(const FileLayout& layout, std::uint64_t position) noexcept;

// Where the bits of a key are, in the body.
Positions native_positions(const FilterParameters& parameters);

// What is to be written over a head so that it becomes another of the same length before the body:
// up to the last byte that is not zero now, or was not.
std::string next_head(const NativeBitmapHead& old, const FileHeader& next, const std::string& name);
// What replaces a head by another of the same length before the body, if it is still there:
// "EVAL", its words appended to a request. It answers 1, or 0 where another head is there.
void append_head_exchange(Request& request, const std::string& key, const NativeBitmapHead& old,
                          const FileHeader& next);
// Of a head what stays the same while the filter lives: which bits keys have.
std::string geometry_bytes(const FileHeader& header);
// `header` as head. Throws StoreError where its fields do not fit before the body.
std::string head_bytes(const FileHeader& header, const std::string& name);

}  // namespace bloomery::redis
