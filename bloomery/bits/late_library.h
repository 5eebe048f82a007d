// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace bloomery {

// A shared library of the system that is loaded when one of its functions is first called. So a
// process that never asks a database does not pay for the libraries of databases, and does not need
// them. It stays loaded until the process ends. All threads may use it.
class LateLibrary {
 public:
  // `file`: as programs that are linked with it name it. `package`: which of Debian's has it.
  // `purpose`: what cannot be done without it, for the message.
  constexpr LateLibrary(const char* file, const char* package, const char* purpose) noexcept
      : file_(file), package_(package), purpose_(purpose) {}

  // The address of one of its functions. Throws StoreError where the library is not there or has no
  // such function.
  void* find(const char* function) const;

 private:
  void* loaded() const;

  const char* file_;
  const char* package_;
  const char* purpose_;
  mutable std::atomic<void*> handle_{nullptr};
};

// A function of such a library, called as the function itself is. Declared in a namespace under the
// function's own name, it is what calls in that namespace mean, those of the library's macros, too.
// The first call may throw StoreError.
template <class Function>
class LateFunction {
 public:
  constexpr LateFunction(const LateLibrary& library, const char* name) noexcept
      : library_(library), name_(name) {}
  LateFunction(const LateFunction&) = delete;
  LateFunction& operator=(const LateFunction&) = delete;

  operator Function*() const {
    Function* found = found_.load(std::memory_order_acquire);
    if (found == nullptr) {
      found = reinterpret_cast<Function*>(library_.find(name_));
      found_.store(found, std::memory_order_release);
    }
    return found;
  }

 private:
  const LateLibrary& library_;
  const char* name_;
  mutable std::atomic<Function*> found_{nullptr};
};

}  // namespace bloomery
