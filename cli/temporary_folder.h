// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bloomery::cli {

// A new, empty folder where temporary files belong, with `prefix` and six letters as its name; the
// caller removes it. Throws StoreError, which says what it was `wanted_for`.
std::string new_temporary_folder(const std::string& prefix, const std::string& wanted_for);

}  // namespace bloomery::cli
