// All kernels give the scalar kernel's bits and answers, on random and on adversarial hashes.
#include "bloomery/filter/kernels/blocked_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "bloomery/filter/blocked_layout.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {
namespace {

std::vector<HashPair> adversarial_hashes() {
  std::vector<HashPair> hashes;
  const std::uint64_t words[] = {0, ~std::uint64_t{0}, 1, std::uint64_t{1} << 63,
                                 0x5555555555555555};
  for (const std::uint64_t h1 : words) {
    for (const std::uint64_t h2 : words) hashes.push_back({h1, h2});
  }
  for (int bit = 0; bit < 64; ++bit) {
    hashes.push_back({std::uint64_t{1} << bit, std::uint64_t{1} << (63 - bit)});
  }
  std::mt19937_64 random(7);
  while (hashes.size() < 2'000) hashes.push_back({random(), random()});
  return hashes;
}

HashBlocks blocks_of(const std::vector<HashPair>& hashes) {
  return {hashes.size(), hashes.data(),
          [](const void* context, std::size_t first, std::size_t count, HashPair* out) {
            const auto* all = static_cast<const HashPair*>(context);
            std::copy(all + first, all + first + count, out);
          }};
}

struct Outcome {
  std::vector<std::uint64_t> words;
  std::vector<char> answers;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Inserts half of the hashes singly and half as a batch, then asks for all of them in both ways.
Outcome use(const BlockedKernel& kernel, const Geometry& geometry, bool far) {
  const BlockedShape shape = BlockedShape::of(geometry);
  const BlockedOps& ops = kernel.ops_for(shape);
  Outcome outcome;
  outcome.words.resize(geometry.bit_count / kWordBits);
  std::uint64_t* const words = outcome.words.data();
  const auto hashes = adversarial_hashes();
  const auto middle = hashes.begin() + static_cast<std::ptrdiff_t>(hashes.size() / 2);
  const std::vector<HashPair> batch(hashes.begin(), middle);
  const auto answer = [&](bool value) { outcome.answers.push_back(value ? 1 : 0); };

  std::vector<char> flags(hashes.size());
  bool* const bools = reinterpret_cast<bool*>(flags.data());
  const std::size_t added = ops.insert_batch(words, shape, blocks_of(batch), far, bools);
  EXPECT_EQ(added, static_cast<std::size_t>(std::count(flags.begin(), flags.end(), 1)));
  outcome.answers.insert(outcome.answers.end(), flags.begin(), flags.end());
  for (std::size_t i = 0; i < 100; ++i) answer(ops.insert(words, shape, hashes[i * 19]));
  ops.may_contain_batch(words, shape, blocks_of(hashes), far, bools);
  outcome.answers.insert(outcome.answers.end(), flags.begin(), flags.end());
  for (const HashPair& hash : hashes) answer(ops.may_contain(words, shape, hash));
  return outcome;
}

TEST(BlockedKernel, EveryKernelEqualsTheScalarOne) {
  const BlockedKernel& scalar = *blocked_kernels().back();
  ASSERT_EQ(scalar.name, "scalar");
  for (const BlockedKernel* kernel : blocked_kernels()) {
    for (std::uint32_t lines = 1; lines <= 2; ++lines) {
      for (std::uint32_t probes = lines; probes <= 8 * lines; ++probes) {
        for (const bool far : {false, true}) {
          const Geometry geometry{lines * 37 * kLineBits, probes, lines};
          EXPECT_EQ(use(*kernel, geometry, far), use(scalar, geometry, !far))
              << kernel->name << ", " << probes << " probes in " << lines << " lines";
        }
      }
    }
  }
}

TEST(BlockedKernel, EveryKernelHashesIntegersAlike) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> keys(100);
  for (auto& key : keys) key = random();
  keys[0] = 0;
  keys[9] = ~std::uint64_t{0};
  const std::uint64_t spread = IntegerHash::spread_seed(5);
  for (const BlockedKernel* kernel : blocked_kernels()) {
    for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 100U}) {
      std::vector<HashPair> hashes(count);
      kernel->hash_integers(keys.data(), count, spread, hashes.data());
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(hashes[i], IntegerHash::hash(keys[i], spread)) << kernel->name << " " << i;
      }
    }
  }
}

// Stored bits depend on this: a change has to be a decision, and a new kind.
TEST(BlockedKernel, TheBitsAreFixedForEver) {
  const auto positions = [](Geometry geometry, HashPair hash) {
    FilterParameters parameters;
    parameters.kind = FilterKind::blocked;
    parameters.geometry = geometry;
    return BlockedLayout(parameters).positions(hash);
  };
  // h1 in the middle of its range: line 5 of 10. Each lane takes six bits of h2.
  const HashPair hash{std::uint64_t{1} << 63, 0x0003'3f2a'1c0b'9d47};
  const std::uint64_t line = 5 * kLineBits;
  EXPECT_EQ(positions({10 * kLineBits, 8, 1}, hash),
            (std::vector<std::uint64_t>{line + 7, line + 117, line + 185, line + 194, line + 284,
                                        line + 360, line + 434, line + 463}));
  EXPECT_EQ(positions({10 * kLineBits, 3, 1}, hash),
            (std::vector<std::uint64_t>{line + 194, line + 284, line + 360}));
  EXPECT_EQ(positions({20 * kLineBits, 5, 2}, hash),
            (std::vector<std::uint64_t>{line + 194, line + 284, line + 360, 6469, 6584}));
}

}  // namespace
}  // namespace bloomery
