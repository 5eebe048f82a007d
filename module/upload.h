// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/format/native/native_reader.h"
#include "module/added_meanwhile.h"
#include "module/server_memory.h"
#include "module/value_type.h"

namespace bloomery::module {

// A filter that comes by BLOOM.LOAD. It has a key of its own until it is whole, so that what the
// target has serves meanwhile, and so that half a filter is stored, replicated and moved as any
// other value.
struct Upload {
  using Kept = Upload;
  static constexpr bool is_type(ValueType type) noexcept { return type == ValueType::upload; }
  static constexpr ValueType type() noexcept { return ValueType::upload; }

  explicit Upload(std::string_view target_key) : target(target_key) { alive.fetch_add(1); }
  ~Upload() { alive.fetch_sub(1); }
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  // Returns whether there is any upload at all: adds need not look for one otherwise.
  static bool any() noexcept { return alive.load(std::memory_order_relaxed) > 0; }

  // How long the bytes are. Throws FormatError for what no filter has.
  void expect(std::uint64_t byte_count) { reader.emplace(byte_count); }
  std::uint64_t byte_count() const noexcept { return reader ? reader->byte_count() : 0; }
  std::uint64_t taken() const noexcept { return reader ? reader->taken() : 0; }

  // Takes bytes as NativeReader::take() does. The reader must not be null.
  void take(std::span<const std::byte> piece);
  // Takes over what another load of the key has kept, as this load goes on in its place.
  void take_over(const Upload& other) noexcept;
  bool has_taken_items() const noexcept { return !added.all().empty() || !added.spoilt().empty(); }
  // Memory for all bytes is taken when the head is there, which says that they are a filter's.
  std::uint64_t memory_bytes() const noexcept {
    const bool has_all = reader && reader->header().has_value();
    return (has_all ? byte_count() : taken()) + added.memory_bytes();
  }

  // The two that say whether it may have missed items, as one number; also of one that moves now.
  std::uint64_t past(bool moves = false) const noexcept {
    return (was_moved || moves ? 1U : 0U) | (had_filter ? 2U : 0U);
  }
  void take_past(std::uint64_t past) noexcept {
    was_moved = (past & 1) != 0;
    had_filter = (past & 2) != 0;
  }

  std::string target;
  std::string id{};                         // who loads; empty: did not say
  std::uint64_t lives_ms = 60 * 60 * 1000;  // behind its last step
  // The load left a server by DUMP or MIGRATE: items may have been added where it was not.
  bool was_moved = false;
  bool had_filter = false;               // beside it, which took items too
  std::optional<NativeReader> reader{};  // none: how long it is comes later
  AddedMeanwhile added{};
  UncountedMemory beside{};

 private:
  static inline std::atomic<int> alive{0};  // freed in a thread of the server's
};

// The key of an upload for `key`, which is of the same slot of a cluster. None where there is no
// such name: a key with a brace that is no hash tag, in a cluster.
std::optional<std::string> upload_key(std::string_view key, bool in_cluster);

}  // namespace bloomery::module
