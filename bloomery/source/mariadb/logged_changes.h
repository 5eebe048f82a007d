// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bloomery/source/packed_keys.h"

namespace bloomery::mariadb {

// LoggedChanges: all that came out of a log since it was taken last.
struct LoggedChanges {
  PackedKeys keys;
  std::uint64_t deleted_count = 0;
  PackedKeys touched;
  std::uint64_t untold_count = 0;
  // All transactions up to here are in it, or were before. Set where one ended, or where the server
  // says that nothing happens.
  std::optional<std::uint64_t> position;
  // `end`: where in the log the last transaction ended (log_place); less in a file beyond 4 GiB.
  std::optional<std::uint64_t> end;
  bool is_open = false;  // the last transaction of it has not ended

  std::size_t key_count() const noexcept { return keys.size() + touched.size(); }
  std::size_t byte_count() const noexcept { return keys.byte_count() + touched.byte_count(); }
  std::size_t memory() const noexcept { return byte_count() + key_count() * sizeof(std::size_t); }
  // Takes what another has away.
  void append(LoggedChanges& from);
  void clear() noexcept;
};

}  // namespace bloomery::mariadb
