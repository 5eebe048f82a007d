// SPDX-License-Identifier: Apache-2.0
// What a server's callbacks do where `new` finds no memory: they go on with what is kept for them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "tests/module/fake_server.h"

namespace {

bool is_exhausted = false;
int handled = 0;  // how often somebody gave memory back

void* allocate(std::size_t size) {
  if (is_exhausted && handled == 0) {
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
    ++handled;
  }
  void* const bytes = std::malloc(size);
  if (bytes == nullptr) throw std::bad_alloc();
  return bytes;
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
// Sorting asks for memory in this way.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size);
}
void operator delete(void* bytes) noexcept {
  std::free(bytes);
}
void operator delete(void* bytes, std::size_t) noexcept {
  std::free(bytes);
}

namespace bloomery::testing {
namespace {

TEST(NoMemory, StoringAFilterGoesOnWithWhatIsKept) {
  for (const char* const reserve : {"bf.reserve", "bloom.reserve"}) {
    FakeServer server(ServerVersion::redis_7_0);
    ASSERT_TRUE(server.load());
    server.call({reserve, "key", "0.01", "1000"});
    server.call({"bf.add", "key", "item"});
    const std::string usual = server.stored();
    ASSERT_GT(usual.size(), 100U);
    for (int round = 0; round < 3; ++round) {
      handled = 0;
      is_exhausted = true;
      const std::string now = server.stored();
      is_exhausted = false;
      EXPECT_EQ(handled, 1);
      EXPECT_EQ(now, usual);
      server.call({"bf.exists", "key", "item"});  // there is some again for the next
    }
  }
}

}  // namespace
}  // namespace bloomery::testing
