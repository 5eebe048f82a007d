// SPDX-License-Identifier: Apache-2.0
#include "cli/output_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <string>

namespace bloomery::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

// Collects what is written while a gate is open.
class Written {
 public:
  void operator()(std::string_view bytes) {
    open_.wait();
    all_ += bytes;
  }
  void open() { gate_.set_value(); }
  const std::string& all() const { return all_; }

 private:
  std::promise<void> gate_;
  std::shared_future<void> open_ = gate_.get_future().share();
  std::string all_;
};

TEST(OutputThread, WritesPiecesInOrder) {
  Written written;
  written.open();
  std::string expected;
  OutputThread thread(std::ref(written));
  for (int i = 0; i < 1'000; ++i) {
    std::string piece = std::to_string(i) + "\n";
    expected += piece;
    thread.take(piece);
    EXPECT_EQ(piece, "");
  }
  thread.finish();
  EXPECT_EQ(written.all(), expected);
}

TEST(OutputThread, WritesAtItsEndWhatItHasTaken) {
  Written written;
  {
    OutputThread thread(std::ref(written));
    for (std::string piece : {"a", "b", "c"}) thread.take(piece);
    written.open();
  }
  EXPECT_EQ(written.all(), "abc");
}

TEST(OutputThread, SaysWhetherAllIsWrittenInTime) {
  Written written;
  OutputThread thread(std::ref(written));
  EXPECT_TRUE(thread.finishes_within(milliseconds(0))) << "nothing was taken";
  std::string piece = "a";
  thread.take(piece);
  EXPECT_FALSE(thread.finishes_within(milliseconds(5)));
  written.open();
  EXPECT_TRUE(thread.finishes_within(kLong));
  EXPECT_EQ(written.all(), "a");
}

// Eight pieces: with the next the caller waits.
TEST(OutputThread, HoldsAFewPiecesAtMost) {
  Written written;
  OutputThread thread(std::ref(written));
  std::promise<void> eight;
  std::future<void> nine = std::async(std::launch::async, [&] {
    for (int i = 0; i < 9; ++i) {
      if (i == 8) eight.set_value();
      std::string piece = "x";
      thread.take(piece);
    }
  });
  eight.get_future().wait();
  EXPECT_EQ(nine.wait_for(milliseconds(20)), std::future_status::timeout);
  written.open();
  nine.wait();
  thread.finish();
  EXPECT_EQ(written.all(), "xxxxxxxxx");
}

TEST(OutputThread, ThrowsWhatWritingThrewAndWritesNoMore) {
  std::string written;
  OutputThread thread([&](std::string_view bytes) {
    if (bytes == "b") throw std::runtime_error("full");
    written += bytes;
  });
  const auto take_until_it_throws = [&] {
    for (std::string piece : {"a", "b"}) thread.take(piece);
    for (;;) {
      std::string piece = "c";
      thread.take(piece);
    }
  };
  EXPECT_THROW(take_until_it_throws(), std::runtime_error);
  EXPECT_FALSE(thread.finishes_within(kLong));
  EXPECT_THROW(thread.finish(), std::runtime_error);
  EXPECT_EQ(written, "a");
}

}  // namespace
}  // namespace bloomery::cli
