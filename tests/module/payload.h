// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "bloomery/format/rdb/crc64.h"

namespace bloomery::testing {

// Returns a changed payload of DUMP with the checksum that it then needs.
inline std::string with_checksum(std::string payload) {
  payload.resize(payload.size() - 8);
  const std::uint64_t sum =
      rdb::crc64(std::as_bytes(std::span<const char>(payload.data(), payload.size())));
  payload.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return payload;
}

}  // namespace bloomery::testing
