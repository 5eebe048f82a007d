// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/loaded_library.h"

#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {

void* load_library(const char* file, std::string& why) {
  const HMODULE library = LoadLibraryA(file);
  if (library == nullptr) why = std::system_category().message(static_cast<int>(GetLastError()));
  return library;
}

void* find_function(void* library, const char* name) noexcept {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace bloomery::os
