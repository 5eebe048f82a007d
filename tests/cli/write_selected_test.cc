// SPDX-License-Identifier: Apache-2.0
#include "cli/write_selected.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

namespace bloomery::cli {
namespace {

template <std::size_t count>
std::string written(const std::array<std::string_view, count>& lines,
                    const std::array<bool, count>& selected, char separator = '\n') {
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) return "no pipe";
  {
    Output output(pipe[1]);
    write_selected(output, lines, selected, separator);
    output.flush();
  }
  close(pipe[1]);
  std::string bytes(1'000, '\0');
  bytes.resize(static_cast<std::size_t>(read(pipe[0], bytes.data(), bytes.size())));
  close(pipe[0]);
  return bytes;
}

// Views of "a\n\nbc\nd", as a reader cuts it.
constexpr std::string_view kText = "a\n\nbc\nd";
constexpr std::array<std::string_view, 4> kLines{kText.substr(0, 1), kText.substr(2, 0),
                                                 kText.substr(3, 2), kText.substr(6, 1)};

TEST(WriteSelected, EndsEachLine) {
  EXPECT_EQ(written<4>(kLines, {true, true, true, true}), "a\n\nbc\nd\n");
  EXPECT_EQ(written<4>(kLines, {true, false, true, true}), "a\nbc\nd\n");
  EXPECT_EQ(written<4>(kLines, {false, true, false, true}), "\nd\n");
  EXPECT_EQ(written<4>(kLines, {false, false, false, false}), "");
}

TEST(WriteSelected, JoinsOnlyWhatTheSeparatorParts) {
  EXPECT_EQ(written<4>(kLines, {true, true, true, true}, ';'), "a;;bc;d;");
  constexpr std::string_view other = "abc";
  EXPECT_EQ(
      written<3>({other.substr(0, 1), other.substr(1, 1), other.substr(2)}, {true, true, true}),
      "a\nb\nc\n");
  EXPECT_EQ(written<2>({kLines[2], kLines[0]}, {true, true}), "bc\na\n");
}

}  // namespace
}  // namespace bloomery::cli
