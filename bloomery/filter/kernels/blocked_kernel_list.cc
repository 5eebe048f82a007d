// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/kernels/blocked_kernel.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/filter/kernels/blocked_kernel_list.h"
#include "bloomery/hash/aes_hash.h"
#include "bloomery/hash/product_hash.h"

namespace bloomery {
namespace {

std::vector<const BlockedKernel*> runnable_kernels() {
  std::vector<const BlockedKernel*> kernels;
#if defined(__x86_64__)
  const auto go_by_avx512 = [](auto ways) { return ways.front()->name == "avx512"; };
  if (go_by_avx512(product_ways()) && go_by_avx512(aes_ways())) {
    static const BlockedKernel icelake = blocked_icelake();
    kernels.push_back(&icelake);
  }
  // The kernels need MULX, which every processor with AVX2 has, but a machine may hide.
  const bool has_bmi2 = __builtin_cpu_supports("bmi2") != 0;
  if (has_bmi2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    kernels.push_back(&kBlockedAvx512);
  }
  if (has_bmi2 && __builtin_cpu_supports("avx2")) kernels.push_back(&kBlockedAvx2);
#elif defined(__aarch64__)
  kernels.push_back(&kBlockedNeon);
#endif
  kernels.push_back(&kBlockedScalar);
  return kernels;
}

const BlockedKernel& choose_kernel() {
  const auto kernels = blocked_kernels();
  const char* const wanted = std::getenv("BLOOMERY_KERNEL");
  if (wanted == nullptr || *wanted == '\0') return *kernels.front();
  std::string names;
  for (const BlockedKernel* kernel : kernels) {
    if (kernel->name == wanted) return *kernel;
    names += names.empty() ? "" : ", ";
    names += kernel->name;
  }
  throw std::invalid_argument("BLOOMERY_KERNEL is \"" + std::string(wanted) +
                              "\"; this processor can run " + names);
}

}  // namespace

bool BlockedKernel::hashes_by_aes() const noexcept {
#if defined(__x86_64__)
  return set != InstructionSet::scalar && __builtin_cpu_supports("aes") != 0;
#else
  return false;
#endif
}

std::span<const BlockedKernel* const> blocked_kernels() {
  static const std::vector<const BlockedKernel*> kernels = runnable_kernels();
  return kernels;
}

const BlockedKernel& blocked_kernel() {
  static const BlockedKernel& chosen = choose_kernel();
  return chosen;
}

}  // namespace bloomery
