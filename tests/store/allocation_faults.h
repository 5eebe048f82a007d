// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::testing {

// While it lives, the n-th allocation (from 1) by operator new of this thread throws
// std::bad_alloc.
class FailingAllocation {
 public:
  explicit FailingAllocation(int nth);
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  ~FailingAllocation();

  bool failed() const;
};

}  // namespace bloomery::testing
