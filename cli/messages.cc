// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

#include <cstdio>
#include <string_view>

#include "bloomery/text/printable.h"
#include "bloomery/text/secrets.h"
#include "cli/json.h"

namespace bloomery::cli {

// Names and keys in it may be anybody's, and a terminal obeys control characters.
void complain(const std::string& message) {
  std::string line = "bloomery: ";
  for (const char byte : without_secrets(message)) {
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

void complain_of_failure(const std::string& message, bool as_json) {
  if (!as_json) return complain(message);
  constexpr std::string_view kTry = "\nTry: ";
  const std::size_t end = message.rfind(kTry);
  Json json = {{"error", without_secrets(message.substr(0, end))}};
  if (end != std::string::npos) json["try"] = message.substr(end + kTry.size());
  std::fputs((json.dump() + "\n").c_str(), stderr);
}

}  // namespace bloomery::cli
