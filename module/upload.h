#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/format/native/native_reader.h"
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

  Upload(std::string_view target_key, std::uint64_t byte_count)
      : target(target_key), reader(byte_count) {}

  // As NativeReader's.
  void take(std::span<const std::byte> piece);

  std::string target;
  NativeReader reader;
  UncountedMemory beside{};
};

// The key of an upload for `key`, which is of the same slot of a cluster. None where there is no
// such name: a key with a brace that is no hash tag, in a cluster.
std::optional<std::string> upload_key(std::string_view key, bool in_cluster);

}  // namespace bloomery::module
