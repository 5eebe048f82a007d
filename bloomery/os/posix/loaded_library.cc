// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/loaded_library.h"

#include <dlfcn.h>

namespace bloomery::os {

void* load_library(const char* file, std::string& why) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const said = dlerror();
    why = said == nullptr ? "" : said;
  }
  return library;
}

void* find_function(void* library, const char* name) noexcept {
  return dlsym(library, name);
}

}  // namespace bloomery::os
