// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/text_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace bloomery::bench {
namespace {

class TextFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  std::string file_ =
      testing::TempDir() + "bloomery_text_file_" + std::to_string(getpid()) + ".txt";
};

TEST_F(TextFile, ReadsWhatItWrote) {
  write_text(file_, "one\n\0two");
  write_text(file_, "three\n");
  EXPECT_EQ(read_text(file_), "three\n");
}

TEST_F(TextFile, KeepsWhatItOnlyChecks) {
  write_text(file_, "text");
  require_writable(file_);
  EXPECT_EQ(read_text(file_), "text");
}

TEST_F(TextFile, NamesTheFileInItsFaults) {
  const std::string missing = file_ + ".d/file";
  const auto message = [&](auto call) {
    try {
      call();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  const std::string reason = " " + missing + ": No such file or directory";
  EXPECT_EQ(message([&] { read_text(missing); }), "cannot read" + reason);
  EXPECT_EQ(message([&] { write_text(missing, ""); }), "cannot write" + reason);
  EXPECT_EQ(message([&] { require_writable(missing); }), "cannot write" + reason);
}

}  // namespace
}  // namespace bloomery::bench
