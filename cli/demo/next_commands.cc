// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/next_commands.h"

#include <cstdlib>

#include "cli/demo/demo_result.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kHarmless =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";

std::string command() {
  const char* const spelled = std::getenv("BLOOMERY_COMMAND");
  return spelled == nullptr || *spelled == '\0' ? "bloomery" : spelled;
}

}  // namespace

std::string next_commands(const DemoResult& demo) {
  const std::string bloomery = command();
  const bool words = !demo.word_list.empty();
  const std::string file = words ? "/tmp/words.bloom" : "/tmp/keys.bloom";
  const std::string from = words ? demo.word_list
                                 : "'sqlite:" + percent_encode(demo.table.path) +
                                       "?table=" + percent_encode(demo.table.table) +
                                       "&column=" + percent_encode(demo.table.column) + "'";
  std::string text = "  " + bloomery + " load --replace " + from + " " + file + "\n  " +
                     (words ? "printf 'zebra\\nzzebra\\n' | " + bloomery + " check " + file
                            : bloomery + " info " + file) +
                     "\n";
  if (!words) return text;
  return text + "  " + bloomery +
         " demo --db FILE --table TABLE --column COLUMN   (yours, only read)\n";
}

std::string percent_encode(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char byte : bytes) {
    if (kHarmless.find(byte) != std::string_view::npos) {
      text += byte;
      continue;
    }
    const auto value = static_cast<unsigned char>(byte);
    text += '%';
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

}  // namespace bloomery::cli
