// SPDX-License-Identifier: Apache-2.0
// Single calls of a program that is compiled for a processor (-march): inlined, with the same bits
// and answers as those of the kernels. Without the tests' framework, which is compiled for every
// processor. Exit status 1 where something differs, 77 where the processor lacks what this was
// compiled for; so nothing is done before that is known.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "bloomery/filter/blocked_filter.h"

namespace bloomery {

static_assert(!std::is_void_v<CompiledLanes>, "compiled for no processor: nothing is inlined");

namespace {

bool can_run() {
  bool can = true;
#if defined(__AVX2__)
  can = can && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#endif
#if defined(__AES__)
  can = can && __builtin_cpu_supports("aes");
#endif
#if defined(__AVX512F__)
  can = can && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
  return can;
}

// Compares single calls on `keys` random integers with the scalar kernel.
bool same_as_scalar(std::uint32_t lines, std::uint32_t probes, std::uint64_t keys) {
  FilterParameters parameters;
  parameters.geometry = {lines * 37 * kLineBits, probes, lines};
  parameters.hash = NativeHash(lines * 100 + probes);
  const BlockedLayout layout(parameters);
  const BlockedShape shape = BlockedShape::of(parameters.geometry);
  std::vector<std::uint64_t> words(BlockedLayout::word_count(parameters));
  std::vector<std::uint64_t> expected(words.size());
  std::mt19937_64 random(probes);
  bool same = true;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const HashPair hash = layout.hash(random());
    const HashPair other = layout.hash(random());
    same = same && layout.insert(words, hash) ==
                       SingleCalls<InstructionSet::scalar>::insert(expected.data(), shape, hash);
    same = same && layout.may_contain(words, hash);
    same =
        same && layout.may_contain(words, other) ==
                    SingleCalls<InstructionSet::scalar>::may_contain(expected.data(), shape, other);
  }
  return same && words == expected;
}

// A whole filter: single calls here, batches by the kernel that was chosen at run time.
bool same_as_batches(double rate, HashId hash) {
  const FilterOptions options{.capacity = 1'000, .false_positive_rate = rate, .hash = hash};
  BlockedFilter singly(options);
  BlockedFilter batched(options);
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> keys(1'000);
  for (std::uint64_t& key : keys) key = random();
  std::uint64_t added = 0;
  for (const std::uint64_t key : keys) added += singly.insert(key) ? 1 : 0;
  bool same = added == batched.insert_many(keys) && singly.inserted() == batched.inserted();
  for (std::size_t i = 0; i < singly.words().size(); ++i) {
    same = same && singly.words()[i] == std::as_const(batched).words()[i];
  }
  BlockedFilter viewed(options);
  added -= viewed.integers([&](auto& view) {
    std::uint64_t fresh = 0;
    for (const std::uint64_t key : keys) fresh += view.insert(key) ? 1 : 0;
    for (const std::uint64_t key : keys) same = same && view.may_contain(key);
    return fresh;
  });
  same = same && added == 0 && std::ranges::equal(viewed.words(), singly.words());
  for (const std::uint64_t key : keys) same = same && batched.may_contain(key);
  return same;
}

// Returns whether a thread that asks again and again sees what another thread inserts: no compiler
// may ask once for all.
bool sees_what_others_insert(HashId id) {
  BlockedFilter filter({.capacity = 1000, .hash = id});
  const HashPair hash = filter.hash(std::uint64_t{5});
  const std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    filter.insert_concurrently(std::uint64_t{5});
  });
  while (!filter.may_contain_hash(hash)) {
  }
  const bool sees = filter.may_contain_hash(hash);
  const std::jthread another([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    filter.insert_concurrently(std::uint64_t{6});
  });
  while (!filter.may_contain(6)) {
  }
  return sees && filter.may_contain(6);
}

int check() {
  int failed = 0;
  for (const HashId hash : {HashId::product, HashId::aes, HashId::fold}) {
    if (sees_what_others_insert(hash)) continue;
    std::printf("what another thread inserted is not seen, hash %d\n", static_cast<int>(hash));
    failed = 1;
  }
  for (std::uint32_t lines = 1; lines <= 2; ++lines) {
    for (std::uint32_t probes = lines; probes <= lines * kLaneCount; ++probes) {
      if (same_as_scalar(lines, probes, 300)) continue;
      std::printf("%u probes in %u lines differ\n", probes, lines);
      failed = 1;
    }
  }
  for (const double rate : {0.2, 0.01, 0.0001}) {
    for (const HashId hash : {HashId::product, HashId::aes, HashId::fold}) {
      if (same_as_batches(rate, hash)) continue;
      std::printf("single calls and batches differ at a rate of %g, hash %d\n", rate,
                  static_cast<int>(hash));
      failed = 1;
    }
  }
  return failed;
}

}  // namespace
}  // namespace bloomery

int main() {
  return bloomery::can_run() ? bloomery::check() : 77;
}
