// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bloomery::cli {

// bloomery rdb list: what modules stored in a dump, and which of it can be taken out. What is
// damaged in one key does not hide the others. Returns the exit status.
int list_dump(const std::string& file, bool as_json);

}  // namespace bloomery::cli
