// SPDX-License-Identifier: Apache-2.0
// copy:bloom: while its server is killed, put back, emptied and filled: no row that the fence has
// is denied. BLOOMERY_LONG=1 runs each scene for ten seconds.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/open/open_place.h"
#include "bloomery/place/local_copy.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using testing::ModuleServer;
using testing::ModuleTest;

const Identity kTable{11, 12};

std::chrono::milliseconds scene_time() {
  return std::getenv("BLOOMERY_LONG") != nullptr ? milliseconds(10'000) : milliseconds(500);
}

// A table whose rows come, a follower that brings them into a filter, and readers who ask a copy of
// it behind fences.
class CopiedScenes : public ModuleTest {
 protected:
  void start(const std::string& options = "EXPANSION 0", std::vector<std::string> settings = {}) {
    if (IsSkipped()) return;
    reserve_ = "BLOOM.RESERVE f 0.0001 100000 " + options;
    settings_ = std::move(settings);
    begin_server();
    server_->ask(reserve_);
    location_ = "bloom:redis+unix://" + server_->socket() + "?timeout=500#f";
  }
  void begin_server() { server_ = std::make_unique<ModuleServer>(folder(), settings_); }
  void kill_and_begin() {
    server_->end(SIGKILL);
    server_.reset();
    begin_server();
  }
  std::string ask(const std::string& command) { return server_->ask(command); }
  // Makes the filter where a scene took it away.
  void make_again() { ask(reserve_); }

  // The rows up to `committed_` are visible; position n is that of row n - 1.
  void follow(const std::stop_token& stop) {
    std::unique_ptr<FilterPlace> place;
    while (!stop.stop_requested()) {
      try {
        if (!place) place = open_place(location_, {.access = PlaceOptions::read_write});
        PlaceHead head = place->head();
        std::uint64_t at = 0;
        if (head.watermark && head.watermark->source == kTable) at = head.watermark->position;
        const std::uint64_t end = std::min(committed_.load(), at + 200);
        if (at >= end) {
          std::this_thread::sleep_for(milliseconds(1));
          continue;
        }
        std::vector<std::string> rows;
        for (std::uint64_t i = at; i < end; ++i) rows.push_back("row" + std::to_string(i));
        const std::vector<Key> keys(rows.begin(), rows.end());
        place->insert_and_advance(keys, head, {kTable, end});
      } catch (const std::exception&) {
        place.reset();
        std::this_thread::sleep_for(milliseconds(5));
      }
    }
  }
  void commit(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      committed_ += 1 + committed_ % 3;
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  void read(const std::stop_token& stop, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<std::string> texts(32);
    std::vector<Presence> answers(texts.size() + 1);
    while (!stop.stop_requested()) {
      const std::uint64_t visible = committed_;
      if (visible == 0) continue;
      const Fence fence{{kTable, visible}};
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::uint64_t back =
            i % 2 == 0 ? random() % std::min<std::uint64_t>(visible, 100) : random() % visible;
        texts[i] = "row" + std::to_string(visible - 1 - back);
      }
      std::vector<Key> keys(texts.begin(), texts.end());
      keys.emplace_back("no such row");
      std::ranges::fill(answers, Presence::unknown);
      try {
        copy_->presence_of_many(keys, answers, {.fence = &fence});
      } catch (const std::exception&) {
        ++failures_;  // those that were filled in before are true
      }
      questions_ += texts.size();
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (answers[i] == Presence::absent) ++false_absents_;
        if (answers[i] == Presence::maybe) ++found_;
      }
      if (answers.back() == Presence::absent) ++absents_;
    }
  }

  // Does `what` again and again, while rows come and readers ask.
  void play(const std::function<void()>& what) {
    if (IsSkipped()) return;
    auto place = open_place("copy:" + location_);
    copy_ = dynamic_cast<LocalCopy*>(place.get());
    ASSERT_NE(copy_, nullptr);
    {
      std::vector<std::jthread> readers;
      std::jthread table([this](const std::stop_token& stop) { commit(stop); });
      std::jthread follower([this](const std::stop_token& stop) { follow(stop); });
      for (unsigned seed = 0; seed < 2; ++seed) {
        readers.emplace_back([this, seed](const std::stop_token& stop) { read(stop, seed); });
      }
      const auto end = std::chrono::steady_clock::now() + scene_time();
      int scenes = 0;
      while (std::chrono::steady_clock::now() < end || scenes < 2) {
        std::this_thread::sleep_for(milliseconds(100));
        what();
        ++scenes;
      }
      table.request_stop();
      table.join();
      EXPECT_TRUE(testing::comes_true([&] { return denies_behind(committed_); }))
          << "the copy is in step again: " << copy_->last_error();
    }
    EXPECT_EQ(false_absents_, 0U);
    EXPECT_GT(found_, 0U);
    EXPECT_GT(absents_, 0U);
    std::printf(
        "%llu questions, %llu absents of no row, %llu whole reads, %llu hashes, %llu failures\n",
        static_cast<unsigned long long>(questions_), static_cast<unsigned long long>(absents_),
        static_cast<unsigned long long>(copy_->copies()),
        static_cast<unsigned long long>(copy_->hashes()),
        static_cast<unsigned long long>(failures_));
    RecordProperty("questions", std::to_string(questions_));
  }
  bool denies_behind(std::uint64_t position) {
    const Fence fence{{kTable, position}};
    try {
      return copy_->presence_of("no such row", {.fence = &fence}) == Presence::absent;
    } catch (const std::exception&) {
      return false;
    }
  }

  std::unique_ptr<ModuleServer> server_{};
  std::string location_;
  std::string reserve_;
  std::vector<std::string> settings_;
  LocalCopy* copy_ = nullptr;
  std::atomic<std::uint64_t> committed_ = 0;
  std::atomic<std::uint64_t> questions_ = 0;
  std::atomic<std::uint64_t> found_ = 0;
  std::atomic<std::uint64_t> absents_ = 0;
  std::atomic<std::uint64_t> false_absents_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
};

TEST_F(CopiedScenes, NothingHappens) {
  start();
  play([] {});
}

TEST_F(CopiedScenes, TheServerIsKilledAndHasAnOlderDump) {
  start();
  play([&] {
    ask("SAVE");
    std::this_thread::sleep_for(milliseconds(100));
    kill_and_begin();
  });
}

TEST_F(CopiedScenes, AnOlderDumpIsRestored) {
  start();
  play([&] {
    const std::string dump = server_->call({"DUMP", "f"}).text;
    std::this_thread::sleep_for(milliseconds(50));
    server_->call({"RESTORE", "f", "0", dump, "REPLACE"});
  });
}

TEST_F(CopiedScenes, TheServerIsEmptied) {
  start();
  play([&] {
    ask("FLUSHALL");
    make_again();
  });
}

TEST_F(CopiedScenes, TheFilterIsRebuiltUnderItsName) {
  start();
  play([&] {
    server_->call({"BLOOM.RESERVE", "g", "0.0001", "100000", "EXPANSION", "0"});
    server_->call({"RENAME", "g", "f"});
  });
}

TEST_F(CopiedScenes, TheFilterGrows) {
  start("EXPANSION 2");
  reserve_ = "BLOOM.RESERVE f 0.0001 100";
  if (server_ != nullptr) {
    ask("DEL f");
    make_again();
  }
  play([] {});
}

TEST_F(CopiedScenes, TheRingForgets) {
  start("EXPANSION 0", {"bf-delta-bytes", "64"});
  play([] {});
}

TEST_F(CopiedScenes, ConnectionsAreCut) {
  start();
  play([&] { ask("CLIENT KILL TYPE normal SKIPME yes"); });
}

}  // namespace
}  // namespace bloomery
