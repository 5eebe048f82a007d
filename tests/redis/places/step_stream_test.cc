// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/step_stream.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "bloomery/redis/client/hash_slot.h"

namespace bloomery::redis {
namespace {

const StepState kBefore{{1, 2}, std::nullopt, 7};
const StepState kAfter{{1, 2}, Watermark{{3, 4}, 5}, 9};

TEST(StepStream, HasAKeyOfItsOwnInTheSlotOfTheString) {
  std::set<std::string> streams;
  const std::vector<std::string> keys{
      "users", "{users}", "a{users}", "{users}.steps", "a}b",         "{}",
      "",      "{",       "}",        "users:{q}:3",   "a}b:steps:1", "{users}:steps"};
  for (const std::string& key : keys) {
    const std::string stream = step_stream_key(key);
    EXPECT_EQ(hash_slot(stream), hash_slot(key)) << key;
    EXPECT_TRUE(streams.insert(stream).second) << key << " shares " << stream;
    EXPECT_NE(stream, key);
  }
  EXPECT_EQ(step_stream_key("users"), "{users}.steps");
}

TEST(StepStream, ReadsTheEntriesThatItWrites) {
  const std::vector<HashPair> hashes{{1, 2}, {~0ULL, 3}};
  for (const auto& some : {hashes, std::vector<HashPair>{}}) {
    const auto read = decode_step(encode_step(kBefore, kAfter, some));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->before, kBefore);
    EXPECT_EQ(read->after, kAfter);
    EXPECT_EQ(read->hashes, some);
  }
}

TEST(StepStream, TakesNoOtherBytesForAnEntry) {
  const std::string whole = encode_step(kBefore, kAfter, std::vector<HashPair>{{1, 2}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const bool is_entry_without_keys = size == whole.size() - sizeof(HashPair);
    EXPECT_EQ(decode_step(std::string_view(whole).substr(0, size)).has_value(),
              is_entry_without_keys);
  }
  std::string later = whole;
  later[0] = 2;
  EXPECT_FALSE(decode_step(later));
  EXPECT_FALSE(decode_step(encode_step(kAfter, kAfter, {}))) << "could be read for ever";
  EXPECT_FALSE(decode_step(encode_step(kAfter, kBefore, {})));
}

Reply text_reply(std::string bytes) {
  return {.type = Reply::Type::text, .text = std::move(bytes)};
}
Reply array_reply(std::vector<Reply> elements) {
  return {.type = Reply::Type::array, .elements = std::move(elements)};
}

// The entries before the first that is none; and that there was one, so that nobody goes on behind.
TEST(StepStream, ReadsNoFurtherThanTheFirstEntryThatIsNone) {
  const std::string entry = encode_step(kBefore, kAfter, {});
  const Reply good =
      array_reply({text_reply("9-88"), array_reply({text_reply("bloomery"), text_reply(entry)})});
  for (const Reply& bad :
       {array_reply({text_reply("9-88"), array_reply({text_reply("other"), text_reply(entry)})}),
        array_reply({text_reply("9-88"), array_reply({text_reply("bloomery"), text_reply("x")})}),
        array_reply({text_reply("9-88"), array_reply({text_reply("bloomery")})}),
        array_reply({text_reply("9-88")}), text_reply("9-88"),
        array_reply(
            {text_reply("9-88"), array_reply({text_reply("bloomery"), array_reply({})})})}) {
    const StepReply read = read_steps(array_reply({good, bad, good}));
    EXPECT_EQ(read.entries.size(), 1U);
    EXPECT_EQ(read.count, 3U);
  }
  EXPECT_EQ(read_steps({.type = Reply::Type::error, .text = "WRONGTYPE x"}).count, 0U);
}

}  // namespace
}  // namespace bloomery::redis
