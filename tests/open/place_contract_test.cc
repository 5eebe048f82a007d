// SPDX-License-Identifier: Apache-2.0
// Every place but those that need our module, which tests/module/item_place_test.cc has.

#include "tests/open/place_contract.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/place/memory_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using testing::PlaceContract;
using testing::PlaceUnderTest;
using testing::RedisServer;

const FilterOptions kOptions{.capacity = 1000, .false_positive_rate = 0.001};

PlaceUnderTest in_memory() {
  return {.name = "memory",
          .make =
              [] {
                auto place =
                    std::make_unique<MemoryPlace<>>(make_filter(FilterKind::blocked, kOptions));
                place->ready();
                return place;
              },
          .has_watermark = true};
}

// Made as `bloomery create` does; what `location` says is a file, or in a server.
PlaceUnderTest at(const std::string& location, AnyFilter filter, bool has_watermark) {
  const auto empty = std::make_shared<const AnyFilter>(std::move(filter));
  const PlaceLocation place = parse_place_location(location);
  return {.name = location,
          .make =
              [=] {
                save(empty->contents(), place, {});
                return open_place(place, {.access = PlaceOptions::read_write});
              },
          .open = [=] { return open_place(place); },
          .has_watermark = has_watermark};
}

AnyFilter native(FilterKind kind) {
  return make_filter(kind, kOptions);
}

AnyFilter foreign(const std::string& format, const FormatSettings& settings = {}) {
  return find_format(format)->create(kOptions, settings);
}

TEST(Places, InMemoryAndInFilesKeepTheContract) {
  const testing::ScratchFolder folder;
  const auto file = [&](const std::string& name) { return (folder / name).string(); };
  // A file that is changed in place is marked as open until it is closed.
  PlaceUnderTest mapped = at(file("blocked"), native(FilterKind::blocked), false);
  mapped.open = nullptr;
  for (const PlaceUnderTest& each :
       {in_memory(), mapped, at(file("scalable"), native(FilterKind::scalable), true),
        at("guava:" + file("guava"), foreign("guava"), false)}) {
    PlaceContract(each).check_all();
  }
}

TEST(Places, InAServerKeepTheContract) {
  if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  const testing::ScratchFolder folder;
  const RedisServer server(folder.path().string());
  const auto in_server = [&](const std::string& format, const std::string& settings = "") {
    return format + ":redis+unix://" + server.socket() + settings + "#" + format;
  };
  const std::string bits = "bits=20000&trust=bits";
  for (const PlaceUnderTest& each :
       {at(in_server("bitmap"), native(FilterKind::blocked), true),
        at(in_server("bitmap", "?partitions=3") + "-parts", native(FilterKind::blocked), true),
        at(in_server("redisson", "?trust=bits"), foreign("redisson"), false),
        at(in_server("gozero", "?" + bits), foreign("gozero", {{"bits", "20000"}}), false),
        at(in_server("gozero", "?bits=20000&trailer=1") + "-trailer",
           foreign("gozero", {{"bits", "20000"}}), true),
        at(in_server("pyrebloom", "?bits=14377&probes=10&trust=bits"), foreign("pyrebloom"),
           false)}) {
    PlaceContract(each).check_all();
  }
}

}  // namespace
}  // namespace bloomery
