// Compares the kernels of the processor that runs this, or of the emulator: built for another
// processor than the tests', so without their framework. Exit status 1 where one differs.
#include <cstdio>

#include "bloomery/filter/kernels/blocked_kernel.h"
#include "tests/filter/kernel_comparison.h"

int main() {
  using namespace bloomery;
  if (blocked_kernels().front()->name != "neon") {
    std::puts("the fastest kernel here is not NEON's");
    return 1;
  }
  const auto differences = testing::differences_from_scalar(*blocked_kernels().front());
  for (const auto& difference : differences) std::puts(difference.c_str());
  return differences.empty() ? 0 : 1;
}
