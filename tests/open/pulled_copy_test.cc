// SPDX-License-Identifier: Apache-2.0
// copy:bitmap: that begins from a pulled file: whatever happened to the file or to the filter
// since, no row that the fence has is denied.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/places/native_load.h"
#include "tests/place/pulled_filter.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::PulledFilter;
using testing::RedisServer;

class PulledCopies : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
    make();
  }
  std::string location() const { return "redis+unix://" + server_->socket(); }
  // Puts an empty filter there, as a new one.
  void make(const std::string& settings = "", const std::string& key = "f") {
    const AnyFilter filter = make_filter(
        FilterKind::blocked, {.capacity = 100'000, .false_positive_rate = 1e-6, .seed = 7});
    redis::Client client(redis::parse_location(location() + settings + "#" + key));
    redis::load_native(client, filter.contents(), {.old = redis::OldFilter::drop});
  }
  PulledFilter filter(const std::string& key = "f") {
    return {"bitmap", location(), key, "deltas=100000", folder_ / "pulled.bloom"};
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_{};
};

TEST_F(PulledCopies, GoOnFromTheFile) {
  auto pulled = filter();
  pulled.follow_to(40);
  pulled.pull();
  pulled.expect_goes_on(0);
  pulled.follow_to(100);
  pulled.expect_goes_on(60);
  pulled.expect_goes_on(60);  // the file stays as it is
  const auto place = pulled.begin();
  pulled.follow_to(150);
  EXPECT_TRUE(pulled.comes_in_step(*place));
  EXPECT_EQ(dynamic_cast<const LocalCopy&>(*place).copies(), 0U);
}

TEST_F(PulledCopies, OfPartitionsGoOnFromTheFile) {
  make("?partitions=4", "parts");
  auto pulled = filter("parts");
  pulled.follow_to(40);
  pulled.pull();
  pulled.follow_to(100);
  const auto place = pulled.begin();
  const auto& copy = dynamic_cast<const LocalCopy&>(*place);
  EXPECT_EQ(copy.copies(), 0U) << copy.why_whole();
  EXPECT_GE(copy.hashes(), 60U) << "a key may have lines in two partitions";
}

TEST_F(PulledCopies, OfAFilterThatWasMadeAnewAreReadWhole) {
  auto pulled = filter();
  pulled.follow_to(40);
  pulled.pull();
  make();
  pulled.follow_to(60, "other");
  pulled.expect_whole("is a copy of another filter, or of one before it was made anew");
}

// The older filter has the file's identity, and goes on past the file's watermark with other rows.
TEST_F(PulledCopies, OfAFilterThatWasPutBackAreReadWhole) {
  auto pulled = filter();
  pulled.follow_to(20);
  server_->ask("COPY f old");
  pulled.follow_to(40);
  pulled.pull();
  server_->ask("COPY old f REPLACE");
  pulled.expect_is_behind();
  pulled.follow_to(80, "other");
  pulled.expect_whole("the server does not have all that came since");
}

TEST_F(PulledCopies, AreReadWholeWhereStepsAreMissing) {
  auto pulled = filter();
  pulled.follow_to(40);
  pulled.pull();
  pulled.follow_to(80);
  server_->ask("XTRIM {f}.steps MAXLEN 1");
  pulled.expect_whole("the server does not have all that came since");
  pulled.pull();
  pulled.let_follower_have("");  // it leaves no steps
  pulled.follow_to(90);
  pulled.let_follower_have("deltas=100000");
  pulled.follow_to(100);
  pulled.expect_whole("the server does not have all that came since");
}

TEST_F(PulledCopies, AreReadWholeWhereTheFileIsAnothers) {
  make("", "g");
  auto other = filter("g");
  other.follow_to(90);
  other.pull();
  auto pulled = filter();
  pulled.follow_to(80, "mine");
  pulled.expect_whole("is a copy of another filter");
}

TEST_F(PulledCopies, AreReadWholeWhereTheFileIsNone) {
  auto pulled = filter();
  pulled.follow_to(40);
  pulled.expect_whole("No such file");
  pulled.pull();
  const std::string bytes = testing::read_file(pulled.file());
  pulled.follow_to(60);
  testing::write_file(pulled.file(), bytes.substr(0, bytes.size() - 1));
  pulled.expect_whole("truncated");
  testing::write_file(pulled.file(), bytes.substr(0, 100));
  pulled.expect_whole("truncated");
  std::string damaged = bytes;
  damaged[5000] ^= 1;
  testing::write_file(pulled.file(), damaged);
  pulled.expect_whole("damaged");
  testing::write_file(pulled.file(), "a note");
  pulled.expect_whole("not a bloomery filter");
  // Programs that write the file anew leave its place in the chain out.
  testing::write_file(pulled.file(), bytes);
  const LoadedFile loaded = load_noted(pulled.file(), UINT64_MAX);
  EXPECT_NE(loaded.chain, "");
  save(loaded.filter, pulled.file(), {.notes = loaded.notes});
  pulled.expect_whole("does not say where it stands");
  save(loaded.filter, pulled.file(),
       {.notes = loaded.notes, .chain = loaded.chain.substr(0, loaded.chain.size() - 8)});
  pulled.expect_whole("is a copy of another filter");
  save(loaded.filter, pulled.file(), {.notes = loaded.notes, .chain = "\2 of a later version"});
  pulled.expect_whole("is a copy of another filter");
}

TEST_F(PulledCopies, HaveWhatIsInsertedThroughThemAtOnce) {
  auto pulled = filter();
  pulled.follow_to(40);
  pulled.pull();
  for (int i = 0; i < 20; ++i) {
    const auto place = open_place("copy:" + pulled.at("from=" + pulled.file().string()),
                                  {.access = PlaceOptions::read_write});
    const std::string key = "mine" + std::to_string(i);
    const Key keys[] = {key};
    place->insert_many(keys);
    EXPECT_TRUE(pulled.comes_in_step(*place));
    EXPECT_EQ(place->presence_of(Key(key)), Presence::maybe);
    const Fence fence{{PulledFilter::kTable, 40}};
    EXPECT_EQ(place->presence_of(Key(key), {.fence = &fence}), Presence::maybe);
  }
}

TEST_F(PulledCopies, AreNamedInOneWay) {
  const std::string server = location();
  for (const char* settings : {"?from=", "?from=a&from=b", "?timeout=500&from=&db=0"}) {
    EXPECT_THROW(open_place("copy:bitmap:" + server + std::string(settings) + "#f"),
                 std::invalid_argument)
        << settings;
  }
  EXPECT_THROW(open_place("bitmap:" + server + "?from=a#f"), std::invalid_argument);
  EXPECT_THROW(open_place("copy:redisson:" + server + "?from=a#f"), std::invalid_argument);
  const auto parsed =
      parse_place_location("copy:bitmap:" + server + "?timeout=500&from=%2Fa%26b&db=3#from=x");
  EXPECT_EQ(parsed.copied_from, "/a&b");
  EXPECT_EQ(parsed.server, server + "?timeout=500&db=3#from=x");
  EXPECT_EQ(parse_place_location("copy:bloom:redis://h?from=f#k").server, "redis://h#k");
  EXPECT_EQ(parse_place_location("copy:bloom:redis://h?from=f&db=1#k").server, "redis://h?db=1#k");
  EXPECT_EQ(parse_place_location("copy:bloom:redis://h?db=1&from=f#k").server, "redis://h?db=1#k");
  EXPECT_EQ(parse_place_location("copy:bloom:redis://h?db=1#k").copied_from, "");
}

}  // namespace
}  // namespace bloomery
