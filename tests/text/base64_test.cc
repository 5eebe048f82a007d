// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomery {
namespace {

Base64Read read(const std::string& text) {
  std::string out(text.size() / 4 * 3, '\0');
  return read_base64(text, out.data());
}

TEST(Base64, IsReadAsItWasWrittenInPieces) {
  std::string bytes;
  for (int length = 0; length < 70; ++length) {
    std::string text;
    const Base64Writer::Sink sink = [&](std::span<const std::byte> piece) {
      text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    };
    Base64Writer writer(sink);
    const auto all = std::as_bytes(std::span(bytes));
    writer.write(all.first(all.size() / 3));
    writer.write(all.subspan(all.size() / 3));
    writer.finish();
    std::string back(text.size() / 4 * 3, '\0');
    const Base64Read read = read_base64(text, back.data());
    EXPECT_EQ(read.fault, Base64Fault::none) << text;
    EXPECT_EQ(back.substr(0, read.byte_count), bytes);
    bytes += static_cast<char>(37 * length);
  }
}

TEST(Base64, SaysWhatIsWrong) {
  EXPECT_EQ(read("Zg=").fault, Base64Fault::length);
  EXPECT_EQ(read("Zm9vZm-v").fault, Base64Fault::character);
  EXPECT_EQ(read("Zm9vZm-v").at, 6U);
  EXPECT_EQ(read("====").at, 0U);
  EXPECT_EQ(read("Zm=v").fault, Base64Fault::character);
  EXPECT_EQ(read("Zh==").fault, Base64Fault::tail);
  EXPECT_EQ(read("Zm9=").fault, Base64Fault::tail);
}

}  // namespace
}  // namespace bloomery
