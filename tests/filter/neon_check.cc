// Compares the kernels and the ways to aes_hash() of the processor that runs this, or of the
// emulator: built for another processor than the tests', so without their framework. Exit status 1
// where one differs.
#include <cstdio>
#include <string>

#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/hash/aes_hash.h"
#include "tests/filter/kernel_comparison.h"

namespace {

bool is_aes_hash(const bloomery::AesWay& way) {
  std::string text;
  bool same = true;
  for (; text.size() <= 300; text += static_cast<char>(text.size() * 7)) {
    same = same && way.one(text, 5) == bloomery::aes_ways().back()->one(text, 5);
  }
  return same;
}

}  // namespace

int main() {
  using namespace bloomery;
  if (blocked_kernels().front()->name != "neon") {
    std::puts("the fastest kernel here is not NEON's");
    return 1;
  }
  if (bloomery::aes_ways().size() != 2 || !is_aes_hash(*bloomery::aes_ways().front())) {
    std::puts("there is no hash by Arm's AES, or another one");
    return 1;
  }
  const auto differences = testing::differences_from_scalar(*blocked_kernels().front());
  for (const auto& difference : differences) std::puts(difference.c_str());
  return differences.empty() ? 0 : 1;
}
