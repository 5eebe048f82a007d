// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "bindings/c/filter_handle.h"
#include "bindings/c/memory_filter.h"
#include "bloomery/c/bloomery.h"

namespace bloomery::c {

// How large a structure was in the first version that had it.
template <class T>
inline constexpr std::size_t kFirstSize = 0;
template <>
inline constexpr std::size_t kFirstSize<bloomery_options> = offsetof(bloomery_options, settings) +
                                                            sizeof(bloomery_options::settings);
template <>
inline constexpr std::size_t kFirstSize<bloomery_keys> = offsetof(bloomery_keys, width) +
                                                         sizeof(bloomery_keys::width);
template <>
inline constexpr std::size_t kFirstSize<bloomery_size> = offsetof(bloomery_size, lines_per_key) +
                                                         sizeof(bloomery_size::lines_per_key);

// A structure of the caller's, who may know fewer members than we, or more: those that he does not
// know are 0, and so must be those that we do not.
template <class T>
T read_struct(const T* of, const char* what) {
  T known{};
  if (of == nullptr) throw std::invalid_argument(std::string(what) + " is a null pointer");
  const std::size_t size = of->struct_size;
  if (size < kFirstSize<T> || size % alignof(T) != 0 || size > 4096) {
    throw std::invalid_argument(std::string(what) + ": struct_size is " + std::to_string(size) +
                                "; begin with the macro that stands behind the structure");
  }
  std::memcpy(&known, of, size < sizeof known ? size : sizeof known);
  for (std::size_t i = sizeof known; i < size; ++i) {
    if (reinterpret_cast<const char*>(of)[i] != 0) {
      throw std::invalid_argument(std::string(what) + " says what this version (" +
                                  bloomery_version() + ") does not know");
    }
  }
  known.struct_size = sizeof known;
  return known;
}

// Makes the handle of a filter in memory. `keys`: the form of its keys; null: as the filter itself
// says.
std::unique_ptr<bloomery_filter> handle_of(AnyFilter filter, const char* keys,
                                           Known known = Known::nothing);
std::unique_ptr<bloomery_filter> make_handle(const bloomery_options& options);
std::unique_ptr<bloomery_filter> build_handle(bloomery_options options, const bloomery_keys& keys);
std::unique_ptr<bloomery_filter> copy_handle(const bloomery_filter& filter);
std::unique_ptr<bloomery_filter> handle_from_bytes(const void* bytes, std::size_t size);
void size_of(const bloomery_options& options, bloomery_size& size);

// "" of none.
std::string text_or_empty(const char* text);
// Throws std::invalid_argument for none.
std::string need_text(const char* text, const char* what);

}  // namespace bloomery::c
