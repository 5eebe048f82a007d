#include "bloomery/hash/aes_hash.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash/integer_hash.h"
#include "bloomery/hash/native_hash.h"
#include "tests/hash/byte_texts.h"

namespace bloomery {
namespace {

struct Pairs {
  alignas(64) std::uint64_t h1[kAesBlock];
  std::uint64_t h2[kAesBlock];
};

class AesHash : public ::testing::TestWithParam<const AesWay*> {
 protected:
  static HashPair hash(Key key, std::uint64_t seed = 0) {
    return GetParam()->one(key, IntegerHash::spread_seed(seed));
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, AesHash, ::testing::ValuesIn(aes_ways()),
                         [](const auto& param) { return std::string(param.param->name); });

// Of an implementation in another language, from docs/format.md. Stored bits depend on these: a
// change to the hash has to be a decision, and a new HashId.
TEST_P(AesHash, IsFixedForEver) {
  const std::string uuid = "550e8400-e29b-41d4-a716-446655440000";
  EXPECT_EQ(hash(""), (HashPair{0x50aeedbbaf025323, 0x348999a71819e53a}));
  EXPECT_EQ(hash("a"), (HashPair{0x12f8480ec3a3e015, 0xcab8235da6d8399a}));
  EXPECT_EQ(hash("abc"), (HashPair{0x62909ded3af46cfa, 0xdf5baa265f25ed64}));
  EXPECT_EQ(hash("1234567"), (HashPair{0x34a09c0e437efba0, 0xb2e2f8f813b8932e}));
  EXPECT_EQ(hash("12345678"), (HashPair{0x6c8d39b3cb158a1a, 0xe7abbe862527a2dd}));
  EXPECT_EQ(hash("123456789"), (HashPair{0x42e2513029425627, 0x4b6a5563dabbb336}));
  EXPECT_EQ(hash("sixteen letters!"), (HashPair{0xcb6d349b99e09419, 0xaad05354090d17aa}));
  EXPECT_EQ(hash(uuid), (HashPair{0x83d8fd7a7b6a633c, 0x3199ebab784207a4}));
  EXPECT_EQ(hash(uuid, 77), (HashPair{0xfe2480af07d21de5, 0x68bc861b5719ea5f}));
  EXPECT_EQ(hash(std::string(64, 'x')), (HashPair{0x7d55ac7ac6685e1a, 0x919a9599303c043e}));
  EXPECT_EQ(hash(std::string(65, 'x')), (HashPair{0xd51ba7795fafc387, 0xa5a233202b69f67d}));
  EXPECT_EQ(hash(testing::bytes_from(0, 200)), (HashPair{0xceb42a174d8cb749, 0xd00c1c9bfd2bddb8}));
}

TEST_P(AesHash, IsThatOfPlainCode) {
  for (std::size_t size = 0; size <= 700; ++size) {
    const std::string key = testing::bytes_from(7 * size, size);
    EXPECT_EQ(hash(key, size), aes_ways().back()->one(key, IntegerHash::spread_seed(size))) << size;
  }
}

// Blocks of every count and of mixed lengths, with integers and keys of many blocks among them.
TEST_P(AesHash, OfABlockIsThatOfEachKey) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 2'000; ++i) texts.push_back(testing::bytes_from(i, i * i * 31 % 90));
  for (const std::size_t size : {8, 64, 65, 255, 256, 257, 264, 320, 1000}) {
    texts[17 * size % texts.size()] = testing::bytes_from(size, size);
  }
  const std::vector<Key> keys(texts.begin(), texts.end());
  for (std::size_t at = 0; at + kAesBlock <= keys.size(); ++at) {
    const std::size_t count = at % (kAesBlock + 1);
    Pairs pairs;
    GetParam()->block(keys.data() + at, count, 5, pairs.h1, pairs.h2);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ((HashPair{pairs.h1[i], pairs.h2[i]}), GetParam()->one(keys[at + i], 5));
    }
  }
}

TEST_P(AesHash, OfNumbersIsThatOfTheirBytes) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    std::vector<std::uint64_t> numbers(1 + i % kAesBlock);
    for (std::uint64_t& number : numbers) number = (&number - numbers.data() + i) << (i % 57);
    Pairs pairs;
    GetParam()->numbers(numbers.data(), numbers.size(), i, pairs.h1, pairs.h2);
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      const Key bytes(reinterpret_cast<const char*>(&numbers[j]), sizeof numbers[j]);
      EXPECT_EQ((HashPair{pairs.h1[j], pairs.h2[j]}), GetParam()->one(bytes, i));
      EXPECT_EQ(NativeHash(HashId::aes, 7)(numbers[j]), NativeHash(HashId::aes, 7)(bytes));
    }
  }
}

// A page that nobody may read follows the keys, and one goes before them.
TEST_P(AesHash, ReadsNothingBesideAKey) {
  constexpr std::size_t kPage = 4096;
  void* const pages = ::mmap(nullptr, 3 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  char* const page = static_cast<char*>(pages) + kPage;
  ASSERT_EQ(::mprotect(page, kPage, PROT_READ | PROT_WRITE), 0);
  for (std::size_t size = 0; size <= 200; ++size) {
    const std::string text = testing::bytes_from(size, size);
    for (char* const at : {page, page + kPage - size}) {
      text.copy(at, size);
      const std::vector<Key> keys(kAesBlock, Key(at, size));
      Pairs pairs;
      GetParam()->block(keys.data(), kAesBlock, 5, pairs.h1, pairs.h2);
      EXPECT_EQ((HashPair{pairs.h1[0], pairs.h2[0]}), GetParam()->one(text, 5)) << size;
      EXPECT_EQ(GetParam()->one(keys[0], 5), GetParam()->one(text, 5)) << size;
    }
  }
  ::munmap(pages, 3 * kPage);
}

}  // namespace
}  // namespace bloomery
