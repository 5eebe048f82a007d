// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "bindings/c/last_error.h"
#include "bloomery/c/bloomery.h"

// Helpers of every call of the C interface: an exception ends there.
namespace bloomery::c {

template <class T>
T& need(T* pointer, const char* what = "filter") {
  if (pointer == nullptr) throw std::invalid_argument(std::string(what) + " is a null pointer");
  return *pointer;
}

// BLOOMERY_OK, or the status of what was thrown.
int status_of(const auto& call) noexcept {
  try {
    call();
    return BLOOMERY_OK;
  } catch (...) {
    return remember_exception();
  }
}

// A pointer or number, or `failed`.
template <class T>
T result_of(T failed, const auto& call) noexcept {
  try {
    return call();
  } catch (...) {
    remember_exception();
    return failed;
  }
}

bloomery_filter* handle(const auto& call) noexcept {
  return result_of<bloomery_filter*>(nullptr, [&] { return call().release(); });
}

// A copy for bloomery_free().
inline char* malloc_text(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace bloomery::c
