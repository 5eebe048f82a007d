// SPDX-License-Identifier: Apache-2.0
#include "tests/store/allocation_faults.h"

#include <cstdlib>
#include <new>

namespace {

thread_local int left = 0;  // 0: none is to fail

}  // namespace

void* operator new(std::size_t size) {
  if (left > 0 && --left == 0) throw std::bad_alloc();
  if (void* const at = std::malloc(size == 0 ? 1 : size)) return at;
  throw std::bad_alloc();
}
void operator delete(void* at) noexcept {
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept {
  std::free(at);
}

namespace bloomery::testing {

FailingAllocation::FailingAllocation(int nth) {
  left = nth;
}
FailingAllocation::~FailingAllocation() {
  left = 0;
}
bool FailingAllocation::failed() const {
  return left == 0;
}

}  // namespace bloomery::testing
