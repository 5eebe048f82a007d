// SPDX-License-Identifier: Apache-2.0
// Any bytes are another system's filter or are refused; one that is read works, and is written as
// it was read.
//
// The input is NAME?SETTINGS, a newline, and the bytes: a location without its file. A name that is
// none is taken for one by its first byte.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/format.h"
#include "fuzz_target.h"

namespace {

using namespace bloomery;

// Sizes that only settings say are the caller's affair; here they would only take time.
constexpr double kMostNumber = 100'000;

FormatSettings parse_settings(std::string_view text) {
  FormatSettings settings;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos) {
      settings[std::string(pair.substr(0, equals))] = pair.substr(equals + 1);
    }
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
  }
  return settings;
}

// Hutool's m counts MiB.
bool is_large(const Format& format, const FormatSettings& settings) {
  const double most = format.name == "hutool" ? 5 : kMostNumber;
  for (const auto& each : settings) {
    if (std::strtod(each.second.c_str(), nullptr) > most) return true;
  }
  return false;
}

void use(const Format& format, AnyFilter filter, const FormatSettings& settings) {
  promise(std::isfinite(filter.cardinality()) && std::isfinite(filter.predicted_rate()));
  if (format.encode != nullptr) {
    const auto bytes = encode(format, filter.contents());
    const AnyFilter again = format.decode(
        bytes, format.settings_of == nullptr ? settings : format.settings_of(filter.contents()));
    promise(encode(format, again.contents()) == bytes);
    for (const char* const key : {"key", "", "another key"}) {
      promise(again.may_contain(key) == filter.may_contain(key));
    }
  }
  const bool all_set = [&] {
    bool set = true;
    for (const Probe& probe : filter.probes(filter.hash("key"))) set = set && probe.set;
    return set;
  }();
  promise(filter.contents().layers.size() > 1 || !all_set || filter.may_contain("key"));
  if (!filter.can_insert()) return;
  try {
    filter.insert("key");
    promise(filter.may_contain("key"));
  } catch (const std::invalid_argument&) {
    // Full, where its system does not let it grow.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view location = input.substr(0, input.find('\n'));
  const std::string_view name = location.substr(0, location.find('?'));
  const Format* format = find_format(name);
  if (format == nullptr) {
    if (name.empty()) return 0;
    format = formats()[static_cast<unsigned char>(name[0]) % formats().size()];
  }
  FormatSettings settings =
      parse_settings(location.substr(std::min(name.size() + 1, location.size())));
  if (is_large(*format, settings)) return 0;
  // Classes whose one size is megabytes.
  if (format->name.starts_with("javascript") || format->name == "simple-java") {
    settings.try_emplace("bits", "1024");
  }
  const std::string_view rest = input.substr(std::min(location.size() + 1, input.size()));
  // Bytes of their own, so that a sanitizer sees who reads beyond them.
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(rest.data()),
                                     reinterpret_cast<const std::byte*>(rest.data()) + rest.size());
  try {
    use(*format, format->decode(bytes, settings), settings);
  } catch (const FormatError&) {
    // Refused, which is an answer.
  } catch (const std::invalid_argument&) {
    // Refused settings are an answer, too.
  }
  return 0;
}
