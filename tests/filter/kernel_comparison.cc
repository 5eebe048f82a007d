// SPDX-License-Identifier: Apache-2.0
#include "tests/filter/kernel_comparison.h"

#include <algorithm>
#include <memory>
#include <random>
#include <span>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/filter/kernels/key_counters.h"
#include "bloomery/hash/aes_hash.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery::testing {
namespace {

constexpr std::uint64_t kOnes = ~std::uint64_t{0};
constexpr std::uint64_t kLines = 37;
constexpr std::uint64_t kGuard = 0x6775617264776f72;  // words beside the array, never written

// Around the kernels' blocks of 8 and lags of 16, 40 and 120.
constexpr std::size_t kBatchSizes[] = {0,  1,  2,  7,  8,   9,   15,  16,  17,  23,  24,  25,   31,
                                       32, 33, 39, 40, 41,  47,  48,  49,  63,  64,  65,  79,   80,
                                       81, 95, 96, 97, 119, 120, 121, 127, 128, 129, 136, 1'000};

std::vector<HashPair> hashes_to_try() {
  std::vector<HashPair> hashes;
  // First and last line, every lane's first and last bit.
  const std::uint64_t words[] = {0,
                                 kOnes,
                                 1,
                                 std::uint64_t{1} << 63,
                                 0x5555555555555555,
                                 kOnes - 1,
                                 kOnes / kLines,
                                 kOnes / kLines + 1};
  for (const std::uint64_t h1 : words) {
    for (const std::uint64_t h2 : words) hashes.push_back({h1, h2});
  }
  for (int bit = 0; bit < 64; ++bit) {
    hashes.push_back({std::uint64_t{1} << bit, std::uint64_t{1} << (63 - bit)});
    hashes.push_back({kOnes, kOnes ^ (std::uint64_t{1} << bit)});
  }
  std::mt19937_64 random(7);
  while (hashes.size() < 1'000) hashes.push_back({random(), random()});
  return hashes;
}

HashBlocks blocks_of(std::span<const HashPair> hashes) {
  HashBlocks blocks{.count = hashes.size()};
  blocks.context = hashes.data();
  blocks.hash = [](const void* context, std::size_t first, std::size_t count, HashBlock& out) {
    const auto* all = static_cast<const HashPair*>(context);
    for (std::size_t j = 0; j < count; ++j) out.set(j, all[first + j]);
  };
  return blocks;
}

// A kernel at work on one array, and everything that it answered.
class Worker {
 public:
  Worker(const BlockedKernel& kernel, const BlockedShape& shape, bool far)
      : set_(kernel.set),
        ops_(kernel.ops_for(shape)),
        shape_(shape),
        far_(far),
        memory_(kGuards + shape.lines * (shape.two_lines() ? 2 : 1) * kLaneCount + kGuards,
                kGuard) {
    fill(0);
  }

  void fill(std::uint64_t word) {
    std::fill(memory_.begin() + kGuards, memory_.end() - kGuards, word);
  }
  void clear_bit(std::size_t word, std::uint64_t mask) { words()[word] &= ~mask; }
  std::size_t word_count() const { return memory_.size() - 2 * kGuards; }
  std::uint64_t word(std::size_t at) const { return memory_[kGuards + at]; }

  void insert(HashPair hash) {
    answers_.push_back(
        with_calls(set_, [&](auto kernel) { return kernel.insert(words(), shape_, hash); }));
    added_ += answers_.back();
  }
  void ask(HashPair hash) {
    answers_.push_back(
        with_calls(set_, [&](auto kernel) { return kernel.may_contain(words(), shape_, hash); }));
  }
  void insert(const OneStep& step, std::uint64_t integer) {
    answers_.push_back(
        with_calls(set_, [&](auto kernel) { return kernel.insert(words(), step, integer); }));
    added_ += answers_.back();
  }
  void ask(const OneStep& step, std::uint64_t integer) {
    answers_.push_back(
        with_calls(set_, [&](auto kernel) { return kernel.may_contain(words(), step, integer); }));
  }
  void insert_batch(const HashBlocks& hashes, bool wants_answers) {
    const auto answers = std::make_unique<bool[]>(hashes.count);
    bool* const was_new = wants_answers ? answers.get() : nullptr;
    added_ += ops_.insert_batch(words(), shape_, hashes, far_, was_new);
    answers_.insert(answers_.end(), answers.get(), answers.get() + hashes.count);
  }
  void ask_batch(const HashBlocks& hashes) {
    const auto answers = std::make_unique<bool[]>(hashes.count);
    ops_.may_contain_batch(words(), shape_, hashes, far_, answers.get());
    answers_.insert(answers_.end(), answers.get(), answers.get() + hashes.count);
  }

  bool same_as(const Worker& other) const {
    return memory_ == other.memory_ && answers_ == other.answers_ && added_ == other.added_;
  }

 private:
  static constexpr std::ptrdiff_t kGuards = 8;
  std::uint64_t* words() { return memory_.data() + kGuards; }

  InstructionSet set_;
  const BlockedOps& ops_;
  BlockedShape shape_;
  bool far_;
  std::vector<std::uint64_t> memory_;
  std::vector<bool> answers_;
  std::size_t added_ = 0;
};

// Single calls and batches of all sizes, each on what the last ones left.
void use(Worker& worker) {
  const auto hashes = hashes_to_try();
  const std::span<const HashPair> all(hashes);
  for (std::size_t i = 0; i < all.size(); i += 9) worker.insert(all[i]);
  std::size_t first = 0;
  for (const std::size_t size : kBatchSizes) {
    first = first + size <= all.size() ? first : 0;
    worker.ask_batch(blocks_of(all.subspan(first, size)));
    worker.insert_batch(blocks_of(all.subspan(first, size)), size % 2 == 0);
    first += size;
  }
  worker.fill(0);
  for (const HashPair hash : all.first(all.size() / 2)) worker.insert(hash);
  for (const HashPair hash : all) worker.ask(hash);
  worker.ask_batch(blocks_of(all));
}

// Full lines, and for every bit of a key full lines but for that bit.
void use_nearly_full(Worker& worker) {
  const auto hashes = hashes_to_try();
  for (std::size_t i = 0; i < 128; ++i) {
    worker.fill(0);
    worker.insert(hashes[i]);
    std::vector<std::pair<std::size_t, std::uint64_t>> bits;
    for (std::size_t at = 0; at < worker.word_count(); ++at) {
      if (worker.word(at) != 0) bits.emplace_back(at, worker.word(at));
    }
    worker.fill(kOnes);
    worker.insert(hashes[i]);
    worker.ask(hashes[i]);
    for (const auto& [at, mask] : bits) {
      worker.clear_bit(at, mask);
      worker.ask(hashes[i]);
      worker.ask_batch(blocks_of(std::span(hashes).subspan(i, 9)));
      worker.insert(hashes[i]);
    }
  }
}

void compare_shapes(const BlockedKernel& kernel, std::vector<std::string>& differences) {
  const BlockedKernel& scalar = *blocked_kernels().back();
  for (std::uint32_t lines = 1; lines <= 2; ++lines) {
    for (std::uint32_t probes = lines; probes <= 8 * lines; ++probes) {
      for (const bool far : {false, true}) {
        for (void (*const script)(Worker&) : {use, use_nearly_full}) {
          const BlockedShape shape = BlockedShape::of({lines * kLines * kLineBits, probes, lines});
          Worker worker(kernel, shape, far);
          Worker expected(scalar, shape, !far);
          script(worker);
          script(expected);
          if (worker.same_as(expected)) continue;
          differences.push_back(std::string(kernel.name) + ": " + std::to_string(probes) +
                                " probes in " + std::to_string(lines) + " lines, " +
                                (far ? "far" : "near") +
                                (script == use ? "" : ", nearly full lines"));
        }
      }
    }
  }
}

// Batches of integers, hashed by the kernel, against single keys hashed as they are defined.
void compare_integers(const BlockedKernel& kernel, std::vector<std::string>& differences) {
  const BlockedKernel& scalar = *blocked_kernels().back();
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> keys{0, kOnes, 1, std::uint64_t{1} << 63, 0, 0, 0, 0, 0, kOnes};
  while (keys.size() < 1'000) keys.push_back(random());
  const BlockedShape shape = BlockedShape::of({kLines * kLineBits, 8, 1});
  for (const std::uint64_t spread : {IntegerHash::spread_seed(5), std::uint64_t{0}, kOnes}) {
    for (const std::size_t size : kBatchSizes) {
      for (const auto& [far, id] : {std::pair(false, HashId::product),
                                    {true, HashId::product},
                                    {false, HashId::fold},
                                    {true, HashId::fold}}) {
        Worker worker(kernel, shape, far);
        Worker expected(scalar, shape, far);
        HashBlocks some{.count = size / 2, .integers = keys.data()};
        some.spread_seed = spread;
        some.id = id;
        HashBlocks all = some;
        all.count = size;
        worker.insert_batch(some, true);
        worker.ask_batch(all);
        worker.insert_batch(all, true);
        const auto hash = [&, by = id](std::size_t i) {
          return by == HashId::fold ? FoldHash::hash(keys[i], spread)
                                    : IntegerHash::hash(keys[i], spread);
        };
        for (std::size_t i = 0; i < size / 2; ++i) expected.insert(hash(i));
        for (std::size_t i = 0; i < size; ++i) expected.ask(hash(i));
        for (std::size_t i = 0; i < size; ++i) expected.insert(hash(i));
        if (worker.same_as(expected)) continue;
        differences.push_back(std::string(kernel.name) + ": batch of " + std::to_string(size) +
                              " integers by " + std::string(hash_name(id)) + ", " +
                              (far ? "far" : "near"));
      }
    }
  }
}

// Integers that are hashed and probed in one step, against pairs hashed as they are defined.
void compare_steps(const BlockedKernel& kernel, std::vector<std::string>& differences) {
  const BlockedKernel& scalar = *blocked_kernels().back();
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> keys{0, kOnes, 1, std::uint64_t{1} << 63};
  while (keys.size() < 1'000) keys.push_back(random());
  for (const HashId id : {HashId::native, HashId::product, HashId::aes, HashId::fold}) {
    if (id == HashId::aes && !kernel.hashes_by_aes()) continue;
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{5}, kOnes}) {
      for (const std::uint64_t lines : {std::uint64_t{1}, kLines}) {
        const NativeHash hash(id, seed);
        const BlockedShape shape = BlockedShape::of({lines * kLineBits, 8, 1});
        const OneStep step = OneStep::of(hash, shape, kernel.hashes_by_aes());
        const auto defined = [&](const std::uint64_t& key) {
          const Key bytes(reinterpret_cast<const char*>(&key), sizeof key);
          return id == HashId::aes    ? aes_hash(bytes, hash.spread_seed())
                 : id == HashId::fold ? FoldHash::hash(key, hash.spread_seed())
                                      : IntegerHash::hash(key, hash.spread_seed());
        };
        Worker worker(kernel, shape, false);
        Worker expected(scalar, shape, false);
        for (const std::uint64_t key : std::span(keys).first(lines * 20)) {
          worker.insert(step, key);
          expected.insert(defined(key));
        }
        for (const std::uint64_t key : keys) {
          worker.ask(step, key);
          expected.ask(defined(key));
        }
        if (step.hash != OneStep::Hash::another && worker.same_as(expected)) continue;
        differences.push_back(std::string(kernel.name) + ": single integers, " +
                              std::string(hash_name(id)));
      }
    }
  }
}

// Counters of a key's line, from zero until they stick at their top, which a key of every lane and
// a line's neighbours would show.
void compare_counters(const BlockedKernel& kernel, std::vector<std::string>& differences) {
  constexpr std::size_t kWords = kLines * kLaneCount * kCounterBits;
  constexpr std::size_t kGuards = 8;
  const BlockedShape shape = BlockedShape::of({kLines * kLineBits, 8, 1});
  const auto hashes = hashes_to_try();
  std::vector<std::uint64_t> integers(hashes.size());
  for (std::size_t i = 0; i < integers.size(); ++i) integers[i] = i % 200;
  for (const bool are_integers : {false, true}) {
    for (const bool far : {false, true}) {
      const auto work = [&](const BlockedKernel& of) {
        std::vector<std::uint64_t> memory(kGuards + kWords + kGuards, kGuard);
        std::fill_n(memory.begin() + kGuards, kWords, 0);
        std::uint64_t* const words = memory.data() + kGuards;
        std::vector<std::uint64_t> answers;
        for (int round = 0; round < 20; ++round) {
          std::size_t first = 0;
          for (const std::size_t size : kBatchSizes) {
            first = first + size <= hashes.size() ? first : 0;
            HashBlocks blocks = blocks_of(std::span(hashes).subspan(first, size));
            if (are_integers) blocks = {.count = size, .integers = integers.data() + first};
            const auto flags = std::make_unique<bool[]>(size);
            of.counting.may_contain_batch(words, shape, blocks, far, flags.get());
            answers.insert(answers.end(), flags.get(), flags.get() + size);
            bool* const was_new = size % 2 == 0 ? flags.get() : nullptr;
            answers.push_back(of.counting.insert_batch(words, shape, blocks, far, was_new));
            answers.insert(answers.end(), flags.get(), flags.get() + size);
            first += size;
          }
          for (std::size_t i = static_cast<std::size_t>(round); i < hashes.size(); i += 3) {
            std::uint64_t* const counters =
                words + fast_range(hashes[i].h1, kLines) * kLineCounterWords;
            answers.push_back(with_calls(of.set, [&](auto calls) {
              const bool found = calls.contains_counted(counters, hashes[i].h2);
              return 2 * (found ? 1U : 0U) + (calls.raise(counters, hashes[i].h2) ? 1U : 0U);
            }));
          }
        }
        answers.insert(answers.end(), memory.begin(), memory.end());
        return answers;
      };
      if (work(kernel) == work(*blocked_kernels().back())) continue;
      differences.push_back(std::string(kernel.name) + ": counters of " +
                            (are_integers ? "integers" : "pairs") + (far ? ", far" : ", near"));
    }
  }
}

void compare_hashes(const BlockedKernel& kernel, std::vector<std::string>& differences) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> keys{0, kOnes, 1, std::uint64_t{1} << 63, 0, 0, 0, 0, 0, kOnes};
  while (keys.size() < 100) keys.push_back(random());
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 16U, 17U, 100U}) {
    std::vector<HashPair> hashes(count + 1, HashPair{kGuard, kGuard});
    kernel.hash_integers(keys.data(), count, kOnes, hashes.data());
    bool same = hashes[count] == HashPair{kGuard, kGuard};
    for (std::size_t i = 0; i < count; ++i) {
      same = same && hashes[i] == IntegerHash::hash(keys[i], kOnes);
    }
    if (same) continue;
    differences.push_back(std::string(kernel.name) + ": hashes of " + std::to_string(count) +
                          " integers");
  }
}

}  // namespace

std::vector<std::string> differences_from_scalar(const BlockedKernel& kernel) {
  std::vector<std::string> differences;
  compare_shapes(kernel, differences);
  compare_integers(kernel, differences);
  compare_steps(kernel, differences);
  compare_counters(kernel, differences);
  compare_hashes(kernel, differences);
  return differences;
}

}  // namespace bloomery::testing
