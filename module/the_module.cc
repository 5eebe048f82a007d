// SPDX-License-Identifier: Apache-2.0
#include "module/the_module.h"

namespace bloomery::module {

Module& the_module() noexcept {
  static Module module;
  return module;
}

}  // namespace bloomery::module
