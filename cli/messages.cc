#include "cli/messages.h"

#include <cstdio>

#include "bloomery/text/printable.h"

namespace bloomery::cli {

// Names and keys in it may be anybody's, and a terminal obeys control characters.
void complain(const std::string& message) {
  std::string line = "bloomery: ";
  for (const char byte : message) {
    const auto value = static_cast<unsigned char>(byte);
    const bool is_control = (value < 0x20 && byte != '\n') || value == 0x7f;
    if (is_control) {
      append_escaped(line, byte);
    } else {
      line += byte;
    }
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace bloomery::cli
