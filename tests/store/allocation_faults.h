// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::testing {

// Makes the n-th allocation (from 1) by operator new of this thread throw std::bad_alloc, while the
// object lives.
class FailingAllocation {
 public:
  explicit FailingAllocation(int nth);
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  ~FailingAllocation();

  bool failed() const;
};

}  // namespace bloomery::testing
