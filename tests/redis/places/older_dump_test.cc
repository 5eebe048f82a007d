// SPDX-License-Identifier: Apache-2.0
// An older dump of the same filter that is restored under a place that has written since.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/format/redisson.h"
#include "bloomery/redis/places/bitmap_place.h"
#include "bloomery/redis/places/bulk_load.h"
#include "tests/redis/places/native_place_fixture.h"

namespace bloomery::redis {
namespace {

constexpr int kKeysAtCapacity = 1000;
constexpr int kRestores = 8;

using Open = std::function<std::unique_ptr<FilterPlace>()>;
using Insert = std::function<void(FilterPlace&, const std::vector<std::string>&)>;

class OlderDump : public NativeTest {
 protected:
  std::map<std::string, std::string> dump() {
    std::map<std::string, std::string> all;
    for (const Reply& key : ask({"KEYS", "*"}).elements) {
      all[key.text] = ask({"DUMP", key.text}).text;
    }
    return all;
  }
  void restore(const std::map<std::string, std::string>& all) {
    for (const auto& [key, bytes] : all) ask({"RESTORE", key, "0", bytes, "REPLACE"});
  }

  // `make` makes an empty filter of a thousand keys. Six calls are lost, of which another writer
  // repeats all but the first, or none.
  void expect_noticed(const std::function<void()>& make, const Open& open_it,
                      const Insert& insert_it, int keys_in_call) {
    for (const int before : {kKeysAtCapacity / 7, kKeysAtCapacity}) {
      ask({"FLUSHALL"});
      make();
      insert_it(*open_it(), names(0, before));
      const auto full = dump();
      for (int round = 0; round < kRestores; ++round) {
        restore(full);
        const auto place = open_it();
        const auto calls = calls_of(round, keys_in_call);
        for (const auto& each : calls) insert_it(*place, each);
        restore(full);
        const auto another = open_it();
        for (std::size_t i = 1; round % 2 == 1 && i < calls.size(); ++i) {
          insert_it(*another, calls[i]);
        }
        std::size_t absent = 0;
        for (const auto& each : calls) absent += count(*place, each, Presence::absent);
        ASSERT_EQ(absent, 0U) << "round " << round << " at " << before << " keys";
      }
    }
  }
  static std::vector<std::vector<std::string>> calls_of(int round, int keys_in_call) {
    constexpr int kCalls = 6;
    std::vector<std::vector<std::string>> calls;
    for (int i = 0; i < kCalls; ++i) {
      const int first = 2000 + (round * kCalls + i) * keys_in_call;
      calls.push_back(names(first, first + keys_in_call));
    }
    return calls;
  }
  void expect_inserts_noticed(const std::function<void()>& make, const Open& open_it) {
    const Insert insert_it = [](FilterPlace& place, const std::vector<std::string>& texts) {
      insert(place, texts);
    };
    for (const int keys : {1, 5, 100}) expect_noticed(make, open_it, insert_it, keys);
  }
  void expect_steps_noticed(const std::function<void()>& make, const Open& open_it) {
    std::uint64_t position = 0;
    const Insert step = [&](FilterPlace& place, const std::vector<std::string>& texts) {
      const std::vector<Key> keys(texts.begin(), texts.end());
      PlaceHead head = place.head();
      ASSERT_TRUE(place.insert_and_advance(keys, head, {{1, 2}, ++position}));
    };
    for (const int keys : {5, 300}) expect_noticed(make, open_it, step, keys);
  }
  std::function<void()> ours(FilterKind kind, double rate, std::string settings = "") {
    return [kind, rate, settings] {
      Client client(parse_location(at(settings)));
      AnyFilter empty =
          make_filter(kind, {.capacity = kKeysAtCapacity, .false_positive_rate = rate});
      load_native(client, empty.contents(), {});
    };
  }
  static Open foreign(std::string_view format, const std::string& settings) {
    return
        [format, settings] { return open_bitmap_place(*find_format(format), at(settings), true); };
  }
};

TEST_F(OlderDump, OfAStringIsNoticed) {
  const Open open_it = [] { return open(); };
  for (const double rate : {0.01, 1e-6}) {
    expect_inserts_noticed(ours(FilterKind::blocked, rate), open_it);
  }
  expect_inserts_noticed(ours(FilterKind::classic, 0.01), open_it);
}

TEST_F(OlderDump, OfPartitionsIsNoticed) {
  const Open open_it = [] { return open(); };
  for (const double rate : {0.01, 1e-6}) {
    expect_inserts_noticed(ours(FilterKind::blocked, rate, "?partitions=4"), open_it);
  }
}

TEST_F(OlderDump, OfWhatAFollowerFillsIsNoticed) {
  const Open open_it = [] { return open(); };
  expect_steps_noticed(ours(FilterKind::blocked, 0.01), open_it);
  expect_steps_noticed(ours(FilterKind::classic, 0.01), open_it);
  expect_steps_noticed(ours(FilterKind::blocked, 0.01, "?partitions=4"), open_it);
}

TEST_F(OlderDump, OfOtherSystemsBitmapsIsNoticed) {
  const auto nothing = [] {};
  expect_inserts_noticed(nothing, foreign("gozero", "?bits=20000&trust=bits"));
  expect_inserts_noticed(nothing, foreign("php", "?size_kb=1&trust=bits"));
  const auto redisson = [this] {
    ask({"HSET", redisson::config_key("f"), "size", "9585", "hashIterations", "7",
         "expectedInsertions", "1000", "falseProbability", "0.01"});
  };
  expect_inserts_noticed(redisson, foreign("redisson", "?trust=bits"));
}

TEST_F(OlderDump, OfABitmapWithATrailerIsNoticed) {
  const std::string settings = "?bits=20000&trailer=1&trust=bits";
  const auto make = [settings] {
    const Format& gozero = *find_format("gozero");
    Client client(parse_location(at(settings)));
    const AnyFilter empty = gozero.create({.capacity = kKeysAtCapacity}, {{"bits", "20000"}});
    bulk_load(client, gozero, empty.contents(), {});
  };
  expect_steps_noticed(make, foreign("gozero", settings));
}

}  // namespace
}  // namespace bloomery::redis
