// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/proof_comparison.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace bloomery {
namespace {

struct Counts {
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> under_way{0};
  std::atomic<std::uint64_t> decisions{0};
  std::atomic<std::uint64_t> denials{0};   // both let it count
  std::atomic<std::uint64_t> stricter{0};  // told() alone lets it count
  std::atomic<std::uint64_t> looser{0};    // proofs alone do, while other questions were under way

  ~Counts() {
    const char* const path = std::getenv("BLOOMERY_PROOF_DECISIONS");
    if (path == nullptr || decisions == 0) return;
    std::FILE* const file = std::fopen(path, "a");
    if (file == nullptr) return;
    std::fprintf(file, "decisions %llu counted %llu stricter %llu looser %llu\n",
                 static_cast<unsigned long long>(decisions), static_cast<unsigned long long>(denials),
                 static_cast<unsigned long long>(stricter), static_cast<unsigned long long>(looser));
    std::fclose(file);
  }
};

Counts counts;

struct Begun {
  bool alone = false;
  std::uint64_t number = 0;
};
thread_local Begun begun;

}  // namespace

ProofComparison::Question::Question() noexcept {
  begun.alone = counts.under_way.fetch_add(1) == 0;
  begun.number = counts.begun.fetch_add(1) + 1;
}

ProofComparison::Question::~Question() {
  counts.under_way.fetch_sub(1);
}

void ProofComparison::decided(bool by_told, bool by_proof) noexcept {
  ++counts.decisions;
  if (by_told && by_proof) ++counts.denials;
  if (by_told && !by_proof) ++counts.stricter;
  if (by_told || !by_proof) return;
  ++counts.looser;
  if (!begun.alone || counts.begun != begun.number) return;
  std::fputs("a proof lets a denial count that told() does not\n", stderr);
  std::abort();
}

}  // namespace bloomery
