// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/format/redisbloom/redisbloom_bytes.h"
#include "tests/support/keys.h"

namespace bloomery::testing {

// A server's dump: RedisBloom filters "users" in databases 0 and 5, with keys item:0 to item:199; a
// cuckoo filter of 5 keys, and a text.
inline std::string sample_dump() {
  RedisBloomModel model({});
  int added = 0;
  for (const std::string& key : texts(1'000, "item:")) added += added < 200 ? model.add(key) : 0;
  const std::string filter =
      '\7' + plain_string("users") + module_value_of(model, {}, 4, plain_string);
  std::string cuckoo = '\7' + plain_string("cuckoo");
  append_length(cuckoo, type_id("MBbloomCF", 4));
  for (const int each : {1, 4, 5, 0, 2, 20, 1, 4}) {
    append_number(cuckoo, static_cast<std::uint64_t>(each));
  }
  cuckoo += '\5' + plain_string(std::string("\x11\0\3\0\0\x44\1\1", 8));
  std::string bytes = "REDIS0011";
  bytes += std::string("\xfe\0", 2) + filter + '\0' + plain_string("k") + plain_string("v");
  bytes += "\xfe\5" + filter + cuckoo + '\0';
  return with_crc(bytes + '\xff');
}

}  // namespace bloomery::testing
