#include "cli/messages.h"

#include <cstdio>

namespace bloomery::cli {

void complain(const std::string& message) {
  std::fprintf(stderr, "bloomery: %s\n", message.c_str());
}

}  // namespace bloomery::cli
