// SPDX-License-Identifier: Apache-2.0
// What a copy is told by a server that means it no good: an error at once, which says what was
// announced and what is allowed. The time-outs are longer than any test may last.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/item_deltas.h"
#include "bloomery/redis/places/string_deltas.h"
#include "tests/support/fake_server.h"

namespace bloomery::redis {
namespace {

using testing::FakeServer;

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
constexpr Identity kRing{3, 4};

std::string place_of(const FakeServer& server) {
  return "redis://127.0.0.1:" + std::to_string(server.port()) + "?timeout=20000#f";
}

std::string bulk(const std::string& bytes) {
  return "$" + std::to_string(bytes.size()) + "\r\n" + bytes + "\r\n";
}

// Returns what `call` is told by a server that answers with `bytes`.
template <class Call>
std::string error_of(const std::string& bytes, Call call) {
  FakeServer server(FakeServer::saying(bytes));
  try {
    call(place_of(server));
    return "no error";
  } catch (const StoreError& error) {
    return error.what();
  }
}
std::string error_of_read(const std::string& bytes) {
  return error_of(bytes, [](const std::string& location) {
    open_item_deltas(location)->read_whole(kMostBytes, {});
  });
}
std::string error_of_delta(const std::string& bytes) {
  return error_of(bytes, [](const std::string& location) {
    open_item_deltas(location)->since({kRing, 7}, std::chrono::milliseconds(10), {});
  });
}

void expect_told(const std::string& error, const std::string& words) {
  EXPECT_NE(error.find(words), std::string::npos) << error;
}

TEST(HostileCopy, OfAReplyThatIsTooLongIsRefused) {
  const std::string huge = "$10000000000000\r\n";
  const std::string begun = "*4\r\n" + bulk(identity_text(kRing)) + ":8\r\n";
  const std::string told = "announces a text of 10,000,000,000,000 bytes; allowed: 268,435,456";
  expect_told(error_of_read(huge), told);
  expect_told(error_of_read(begun + ":100\r\n" + huge), told);
  expect_told(error_of_delta(begun + huge), told);
  expect_told(error_of(huge,
                       [](const std::string& location) {
                         open_string_deltas(location)->read_whole(kMostBytes, {});
                       }),
              told);
}

TEST(HostileCopy, OfAFilterThatIsTooLongIsRefused) {
  expect_told(error_of_read("*4\r\n" + bulk(identity_text(kRing)) + ":8\r\n:10000000000000\r\n" +
                            bulk("abc")),
              "its filter has 10,000,000,000,000 bytes, more than the 268,435,456");
}

// A copy would ask again and again, without a pause.
TEST(HostileCopy, OfDeltasThatLeadNowhereIsRefused) {
  const auto delta = [](const std::string& sequence) {
    return "*4\r\n" + bulk(identity_text(kRing)) + ":" + sequence + "\r\n$0\r\n\r\n$-1\r\n";
  };
  expect_told(error_of_delta(delta("7")), "no answer to BLOOM.DELTA");
  expect_told(error_of_delta(delta("6")), "no answer to BLOOM.DELTA");
  EXPECT_EQ(error_of_delta(delta("8")), "no error") << "steps of the watermark alone";
}

}  // namespace
}  // namespace bloomery::redis
