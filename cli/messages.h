#pragma once

#include <string>

namespace bloomery::cli {

// "bloomery: MESSAGE" on standard error.
void complain(const std::string& message);

}  // namespace bloomery::cli
