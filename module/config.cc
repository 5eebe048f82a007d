// SPDX-License-Identifier: Apache-2.0
#include "module/config.h"

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "module/call.h"

namespace bloomery::module {
namespace {

struct FreeString {
  void operator()(String* string) const noexcept { api().free_string(nullptr, string); }
};

// A setting, and its value as it was written: CONFIG GET gives that back, and the server asks for
// it as a string of its own.
struct Parameter {
  const Setting* setting;
  std::unique_ptr<String, FreeString> written{};

  void write(std::string_view text) {
    written.reset(api().create_string(nullptr, text.data(), text.size()));
  }
};
std::vector<Parameter> parameters;  // the server keeps their addresses

Parameter& parameter(void* of) noexcept {
  return *static_cast<Parameter*>(of);
}

String* get(const char*, void* of) noexcept {
  return parameter(of).written.get();
}

int refuse(const std::exception& refused, String** error) noexcept {
  const std::string_view why = refused.what();
  *error = api().create_string(nullptr, why.data(), why.size());
  return kError;
}

int set(const char*, String* value, void* of, String** error) noexcept {
  std::size_t size = 0;
  const char* const bytes = api().string_bytes(value, &size);
  const std::string_view text(bytes, size);
  const Setting& setting = *parameter(of).setting;
  Settings& settings = the_module().settings;
  try {
    setting.set(settings, text);
    const bool is_lowered = setting.get == nullptr && parse_real(text) != settings.error_rate;
    parameter(of).write(is_lowered ? setting.text(settings) : std::string(text));
    return kOk;
  } catch (const std::exception& refused) {
    return refuse(refused, error);
  }
}

// Called once all of a CONFIG SET are set; the server sets the old ones again where one is refused.
int apply(Context*, void* of, String** error) noexcept {
  try {
    parameter(of).setting->require_fits(the_module().settings);
    return kOk;
  } catch (const std::exception& refused) {
    return refuse(refused, error);
  }
}

}  // namespace

void register_config(Context* context) {
  if (api().register_string_config == nullptr || api().load_configs == nullptr) return;
  const bool prefixed = !the_module().names.prefix.empty();
  Settings& settings = the_module().settings;
  parameters.clear();
  for (const Setting& each : all_settings()) parameters.push_back({&each});
  // The two came to servers together; older ones complain of a flag that they do not know.
  const unsigned flags = api().load_default_configs != nullptr && !prefixed ? kUnprefixed : 0;
  for (Parameter& each : parameters) {
    const std::string text = each.setting->text(settings);
    each.write(text);
    if (api().register_string_config(context, each.setting->name, text.c_str(), flags, get, set,
                                     apply, &each) != kOk) {
      parameters.clear();
      throw std::runtime_error(std::string("the server does not take the parameter ") +
                               each.setting->name);
    }
  }
  try {
    if (api().load_configs(context) != kOk) {
      throw std::runtime_error("the server's configuration has a value that is not allowed");
    }
    for (const Parameter& each : parameters) each.setting->require_fits(settings);
  } catch (const std::exception&) {
    parameters.clear();
    throw;
  }
}

void forget_config() noexcept {
  parameters.clear();
}

}  // namespace bloomery::module
