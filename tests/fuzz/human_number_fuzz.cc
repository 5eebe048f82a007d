// SPDX-License-Identifier: Apache-2.0
// Any text is a count or is refused; a count written in plain digits is the same count.

#include "bloomery/text/human_number.h"

#include <stdexcept>
#include <string>

#include "fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const std::uint64_t count = parse_count(text);
    promise(parse_count(std::to_string(count)) == count);
    // Rounding moves a count by at most a twentieth, and what is printed can be read.
    const std::string shown = format_count(count);
    if (count > 18'446'744'000'000'000'000U) return 0;  // may round up to what does not fit
    const std::uint64_t read = parse_count(shown);
    promise((read > count ? read - count : count - read) <= count / 20);
  } catch (const std::invalid_argument&) {
    // Refused, which is an answer.
  }
  return 0;
}
