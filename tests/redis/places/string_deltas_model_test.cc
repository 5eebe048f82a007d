// SPDX-License-Identifier: Apache-2.0
// Random histories of a string and of the stream beside it: followers that leave their steps,
// older ones that leave none, and whatever may happen to the two keys, each by itself. A copy that
// says how far it is has every row up to there. BLOOMERY_LONG=1 plays many more.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/partition_keys.h"
#include "tests/redis/places/native_place_fixture.h"
#include "tests/redis/places/string_copy.h"

namespace bloomery::redis {
namespace {

const Identity kModelTable{1, 2};
constexpr std::uint32_t kModelParts = 3;

std::string model_row(std::uint64_t number) {
  return "row" + std::to_string(number);
}

// Goes on from the filter's watermark, and from there after every surprise, as Follower does.
class ModelFollower {
 public:
  explicit ModelFollower(std::string location) : location_(std::move(location)) {}

  void go_on(std::uint64_t committed, std::mt19937_64& random) {
    try {
      if (!place_) begin();
      if (!head_.watermark) {
        // A new filter: as a scan leaves it.
        if (!place_->insert_and_advance({}, head_, {kModelTable, 0})) return place_.reset();
        loose_ = 0;
      }
      const std::uint64_t at = head_.watermark->position;
      const std::uint64_t first = std::max(at, loose_);
      const std::uint64_t end =
          std::min(committed, first + random() % (random() % 8 == 0 ? 400 : 8));
      std::vector<std::string> rows;
      for (std::uint64_t i = first; i < end; ++i) rows.push_back(model_row(i));
      const std::vector<Key> keys(rows.begin(), rows.end());
      const bool is_loose = random() % 3 == 0;
      const Watermark next =
          is_loose ? *head_.watermark : Watermark{kModelTable, std::max(end, first)};
      if (place_->insert_and_advance(keys, head_, next)) {
        loose_ = std::max(end, first);
      } else {
        place_.reset();
      }
    } catch (const StoreError&) {
      place_.reset();
    }
  }

 private:
  void begin() {
    place_ = open_native_place(location_, true);
    head_ = place_->head();
    loose_ = 0;
  }

  const std::string location_;
  std::unique_ptr<FilterPlace> place_{};
  PlaceHead head_{};
  std::uint64_t loose_ = 0;  // rows up to here are in, above the watermark
};

class StringDeltasModel : public NativeTest {
 protected:
  void make(bool has_parts) {
    AnyFilter filter = make_filter(FilterKind::blocked,
                                   {.capacity = 20'000, .false_positive_rate = 1e-4, .seed = 7});
    Client client(parse_location(at(has_parts ? "?partitions=3" : "")));
    load_native(client, filter.contents(), {.old = OldFilter::drop});
  }
  std::vector<std::string> keys(bool has_parts) const {
    if (!has_parts) return {"f"};
    std::vector<std::string> all;
    for (std::uint32_t i = 0; i < kModelParts; ++i)
      all.push_back(partition_key("f", i, kModelParts));
    return all;
  }
  void save(const std::string& key) { ask({"COPY", key, "old:" + key, "REPLACE"}); }
  void put_back(const std::string& key) {
    if (ask({"EXISTS", "old:" + key}).number == 1) ask({"COPY", "old:" + key, key, "REPLACE"});
  }

  // Plays one history; returns how often the copy went on without reading all.
  std::uint64_t play(unsigned seed, bool has_parts) {
    std::mt19937_64 random(seed);
    ask({"FLUSHALL"});
    make(has_parts);
    std::uint64_t committed = 0;
    std::vector<ModelFollower> followers;
    for (const char* settings : {"?deltas=20000", "?deltas=20000", "?deltas=4096", ""}) {
      followers.emplace_back(at(settings));
    }
    StringCopy copy(at());
    const auto all = keys(has_parts);
    for (int i = 0; i < 300; ++i) {
      const std::string& key = all[random() % all.size()];
      const std::string stream = step_stream_key(key);
      committed += random() % 20;
      switch (random() % 40) {
        case 0:
          save(key);
          break;
        case 1:
          put_back(key);
          break;
        case 2:
          save(stream);
          break;
        case 3:
          put_back(stream);
          break;
        case 4:
          ask({"XTRIM", stream, "MAXLEN", std::to_string(random() % 5)});
          break;
        case 5:
          ask({"DEL", stream});
          break;
        case 6:
          for (const std::string& each : all) {
            save(each);
            if (random() % 2 == 0) save(step_stream_key(each));
          }
          break;
        case 7:
          for (const std::string& each : all) {
            put_back(each);
            if (random() % 2 == 0) put_back(step_stream_key(each));
          }
          break;
        case 8:
          if (random() % 4 == 0) make(has_parts);
          break;
        case 9:
          followers[3].go_on(committed, random);
          break;
        case 10:
          followers[2].go_on(committed, random);
          break;
        case 11:
        case 12:
        case 13:
          followers[1].go_on(committed, random);
          break;
        default:
          followers[0].go_on(committed, random);
          break;
      }
      if (random() % 4 == 0) check(copy, seed);
    }
    return copy.hashes;
  }
  void check(StringCopy& copy, unsigned seed) {
    try {
      copy.look();
    } catch (const StoreError&) {  // a part went back meanwhile
      return;
    }
    if (!copy.reached) return;
    ASSERT_EQ(copy.reached->source, kModelTable);
    std::uint64_t missing = 0;
    for (std::uint64_t i = 0; i < copy.reached->position; ++i) {
      missing += copy.filter->may_contain(Key(model_row(i))) ? 0 : 1;
    }
    ASSERT_EQ(missing, 0U) << "of " << copy.reached->position << ", seed " << seed;
    checked_ += copy.reached->position;
    looks_ += 1;
    whole_ = whole_ + (copy.whole_reads > last_whole_ ? 1 : 0);
    last_whole_ = copy.whole_reads;
  }
  void play_all(bool has_parts) {
    const unsigned count = std::getenv("BLOOMERY_LONG") != nullptr ? 400 : 6;
    std::uint64_t hashes = 0;
    for (unsigned seed = 1; seed <= count && !HasFatalFailure(); ++seed) {
      last_whole_ = 0;
      hashes += play(seed, has_parts);
    }
    EXPECT_GT(hashes, 100U) << "else no chain was followed";
    std::printf("%llu rows checked at %llu looks, %llu of them whole reads; %llu hashes\n",
                static_cast<unsigned long long>(checked_), static_cast<unsigned long long>(looks_),
                static_cast<unsigned long long>(whole_), static_cast<unsigned long long>(hashes));
  }

  std::uint64_t checked_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t whole_ = 0;
  int last_whole_ = 0;
};

TEST_F(StringDeltasModel, DeniesNoRowThatItSaysItHas) {
  play_all(false);
}

TEST_F(StringDeltasModel, DeniesNoRowOfAnyPartition) {
  play_all(true);
}

}  // namespace
}  // namespace bloomery::redis
