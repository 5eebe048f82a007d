// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/kryo.h"

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/utf16.h"

using namespace bloomery;

TEST(Kryo, EncodesAsRedissonsDefaultCodec) {
  for (const auto& each : golden::read("redisson.json")["codec_encodings"]) {
    SCOPED_TRACE(each.dump().substr(0, 200));
    const auto number = [&] {
      const auto& value = each["value"];
      return value.is_string() ? std::stoll(value.get<std::string>()) : value.get<long long>();
    };
    const std::string type = each["type"];
    const std::string key = type == "String" ? kryo_string(golden::string_key(each["key"]))
                            : type == "Long" ? kryo_long(number())
                                             : kryo_integer(static_cast<std::int32_t>(number()));
    EXPECT_EQ(key, golden::bytes_of_hex(each["Kryo5Codec"]));
  }
}
