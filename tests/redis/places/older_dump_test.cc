// SPDX-License-Identifier: Apache-2.0
// An older dump of the same filter that is restored under a place that has written since.
#include <gtest/gtest.h>

#include <string>

#include "tests/redis/places/live_filter_fixture.h"
#include "tests/redis/places/native_place_fixture.h"

namespace bloomery::redis {
namespace {

constexpr int kScenes = 30;
constexpr int kKeysInCall = 5;

using OlderDump = NativeTest;

TEST_F(OlderDump, OfAStringIsNoticedAtAnyFill) {
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::classic}) {
    for (const int before : {100, 1000}) {
      for (const bool is_repeated : {false, true}) {
        for (int round = 0; round < kScenes; ++round) {
          load_keys(0, before, {.old = OldFilter::drop}, 0.01, kind);
          const auto place = open();
          insert(*place, names(0, before));
          const std::string dump = ask({"DUMP", "f"}).text;
          const int first = 2000 + round * 2 * kKeysInCall;
          insert(*place, names(first, first + kKeysInCall));
          insert(*place, names(first + kKeysInCall, first + 2 * kKeysInCall));
          ask({"RESTORE", "f", "0", dump, "REPLACE"});
          if (is_repeated) insert(*open(), names(first + kKeysInCall, first + 2 * kKeysInCall));
          ASSERT_EQ(count(*place, names(first, first + 2 * kKeysInCall), Presence::absent), 0U)
              << "round " << round << " at " << before << " keys";
        }
      }
    }
  }
}

using OlderDumpOfABitmap = LiveFilter;

TEST_F(OlderDumpOfABitmap, IsNoticedAtAnyFill) {
  for (const int before : {100, 1000}) {
    for (const bool is_repeated : {false, true}) {
      for (int round = 0; round < kScenes; ++round) {
        ask({"FLUSHALL"});
        init_redisson("f");
        const auto place = open("redisson", "f");
        insert(*place, names(0, before));
        const std::string dump = ask({"DUMP", "f"}).text;
        const int first = 2000 + round * 2 * kKeysInCall;
        insert(*place, names(first, first + kKeysInCall));
        insert(*place, names(first + kKeysInCall, first + 2 * kKeysInCall));
        ask({"RESTORE", "f", "0", dump, "REPLACE"});
        if (is_repeated) {
          insert(*open("redisson", "f"), names(first + kKeysInCall, first + 2 * kKeysInCall));
        }
        ASSERT_EQ(count(*place, names(first, first + 2 * kKeysInCall), Presence::absent), 0U)
            << "round " << round << " at " << before << " keys";
      }
    }
  }
}

}  // namespace
}  // namespace bloomery::redis
