// SPDX-License-Identifier: Apache-2.0
// A filter in strings whose key has another type under the open place: as some servers make of a
// string at its next SETBIT, or as another program does.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/open/open_place.h"
#include "tests/open/live_layouts.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using testing::RedisServer;

const FilterOptions kForOthers{.capacity = 2000, .false_positive_rate = 0.001};

class OtherType : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
    for (int i = 0; i < 500; ++i) in_.push_back("in " + std::to_string(i));
    for (int i = 0; i < 500; ++i) out_.push_back("out " + std::to_string(i));
  }
  std::unique_ptr<FilterPlace> place_of(const LiveLayout& layout) {
    server_->ask("FLUSHALL");
    at_ = location_in(*server_, layout);
    save(layout.filter.contents(), at_, {});
    auto place = open_place(at_, {.access = PlaceOptions::read_write});
    place->insert_many(keys(in_));
    return place;
  }
  static std::vector<Key> keys(const std::vector<std::string>& texts) {
    return {texts.begin(), texts.end()};
  }
  static std::ptrdiff_t count(FilterPlace& place, const std::vector<std::string>& texts,
                              Presence which) {
    std::vector<Presence> answers(texts.size(), Presence::absent);
    place.presence_of_many(keys(texts), answers);
    return std::ranges::count(answers, which);
  }
  std::vector<std::string> strings() {
    std::vector<std::string> names;
    std::string line;
    for (const char c : server_->ask("KEYS *")) {
      if (c != '\n') {
        line += c;
        continue;
      }
      if (server_->ask("TYPE " + line) == "string\n") names.push_back(line);
      line.clear();
    }
    return names;
  }
  void take(const std::string& key, const std::string& by) {
    ASSERT_EQ(server_->ask("RENAME " + key + " kept:" + key), "OK\n");
    ASSERT_EQ(
        server_->ask(by.substr(0, by.find(' ')) + " " + key + by.substr(by.find(' '))).find("ERR"),
        std::string::npos);
  }
  void give_back(const std::string& key) {
    ASSERT_EQ(server_->ask("DEL " + key), "1\n");
    ASSERT_EQ(server_->ask("RENAME kept:" + key + " " + key), "OK\n");
  }
  // Returns the message of the error that the call threw.
  static std::string error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const StoreError& error) {
      return error.what();
    }
    return {};
  }

  const testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_;
  PlaceLocation at_{};
  std::vector<std::string> in_{};
  std::vector<std::string> out_{};
};

constexpr const char* kOthers[] = {"RPUSH a b", "SADD a", "HSET a b", "ZADD 1 a", "XADD * a b"};

TEST_F(OtherType, IsUnknownWithThatReasonUntilTheStringIsThereAgain) {
  for (const LiveLayout& layout : live_layouts(kForOthers)) {
    const auto place = place_of(layout);
    const auto reader = open_place(at_);
    ASSERT_EQ(count(*reader, in_, Presence::maybe), 500) << place->name();
    ASSERT_GT(count(*place, out_, Presence::absent), 450) << place->name();
    const std::vector<std::string> all = strings();
    ASSERT_GE(all.size(), layout.settings.starts_with("&partitions") ? 3U : 1U);
    for (const std::string by : kOthers) {
      for (const std::string& key : all) take(key, by);
      EXPECT_EQ(count(*place, in_, Presence::unknown), 500) << place->name() << " " << by;
      EXPECT_EQ(count(*reader, out_, Presence::unknown), 500) << place->name() << " " << by;
      EXPECT_EQ(count(*place, out_, Presence::unknown), 500) << place->name() << " " << by;
      EXPECT_NE(error_of([&] { reader->head(); }).find("WRONGTYPE"), std::string::npos)
          << place->name() << " " << by;
      EXPECT_NE(error_of([&] { place->insert_many(keys(out_)); }).find("WRONGTYPE"),
                std::string::npos)
          << place->name() << " " << by;
      for (const std::string& key : all) give_back(key);
      EXPECT_EQ(count(*place, in_, Presence::maybe), 500) << place->name() << " " << by;
      EXPECT_GT(count(*reader, out_, Presence::absent), 450) << place->name() << " " << by;
    }
  }
}

TEST_F(OtherType, OneOfSeveralStringsIsEnough) {
  for (const LiveLayout& layout : live_layouts(kForOthers)) {
    const auto place = place_of(layout);
    for (const std::string& key : strings()) {
      take(key, "RPUSH a");
      EXPECT_EQ(count(*place, in_, Presence::absent), 0) << place->name() << " " << key;
      EXPECT_GT(count(*place, out_, Presence::unknown), 100) << place->name() << " " << key;
      give_back(key);
    }
    EXPECT_EQ(count(*place, in_, Presence::maybe), 500) << place->name();
  }
}

}  // namespace
}  // namespace bloomery
