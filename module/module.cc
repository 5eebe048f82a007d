// SPDX-License-Identifier: Apache-2.0
// Where a server enters: the two functions of the file that it can see.
#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "module/bf_commands.h"
#include "module/bloom_commands.h"
#include "module/call.h"
#include "module/cf_commands.h"
#include "module/config.h"
#include "module/guard_commands.h"
#include "module/half_types.h"
#include "module/native_type.h"
#include "module/redis_api.h"
#include "module/redisbloom_types.h"
#include "module/server_memory.h"
#include "module/strict_api.h"
#include "module/totals.h"

namespace bloomery::module {
namespace {

// A version of RedisBloom: clients look at it, as they do at the name.
constexpr int kVersion = 80000;
constexpr int kApiVersion = 1;

// Valkey from 9.0 on moves slots only where all modules say that it may.
int options_for(const Api& api) {
  const bool moves_slots =
      api.module_options != nullptr && (api.module_options() & kMovesSlots) != 0;
  return kHandlesIoErrors | kSignalsByItself | kLoadsBesideServing |
         (moves_slots ? kMovesSlots : 0);
}

void load(Context* context, std::span<String* const> words) {
  Module& module = the_module();
  const Api& api = module.api;
  std::vector<std::string_view> arguments = Call(context, words).words();
  module.names = take_names(arguments);
  const std::string name = module.names.module();
  if (api.is_module_name_busy(name.c_str()) != 0) {
    throw std::runtime_error("the server has a module `" + name +
                             "` already: RedisBloom, or this one; with `prefix NAME` behind the "
                             "module's path it is loaded beside it");
  }
  api.set_module_attributes(context, name.c_str(), kVersion, kApiVersion);
  module.settings = parse_settings(arguments);
  api.set_module_options(context, options_for(api));
  register_config(context);
  use_server_memory(api);
  const auto half = register_half_types(context, module.names);
  module.types = {register_chain_type(context, module.names),
                  register_native_type(context, module.names),
                  register_upload_type(context, module.names),
                  register_cuckoo_type(context, module.names),
                  half[0],
                  half[1],
                  half[2]};
  if (std::ranges::count(module.types, nullptr) != 0) {
    throw std::runtime_error("the server has types of values of the same names already");
  }
  register_bf_commands(api, context);
  register_bloom_commands(api, context);
  register_cf_commands(api, context);
  register_guard_commands(api, context);
  register_totals(context);
  watch_saving(context);  // last: a server that fails to load a module keeps calling it
  module.is_loaded = true;
}

// A server that is given the same file a second time runs this in the memory of the first, whose
// filters, names and parameters are all there is. Nothing of that may change.
[[nodiscard]] bool is_second_load(Context* context) {
  if (!the_module().is_loaded) return false;
  find_usable_api(context).log(
      context, "warning",
      "bloomery: this file is loaded already, as `%s`; a copy of the file can be "
      "loaded beside it, with `prefix NAME` behind its path",
      the_module().names.module().c_str());
  return true;
}

}  // namespace
}  // namespace bloomery::module

extern "C" {

[[gnu::visibility("default")]] int RedisModule_OnLoad(bloomery::module::Context* context,
                                                      bloomery::module::String** words, int count) {
  using bloomery::module::the_module;
  try {
    if (bloomery::module::is_second_load(context)) return bloomery::module::kError;
    the_module() = {};  // of a load that failed
    the_module().api = bloomery::module::find_usable_api(context);
  } catch (const std::exception&) {
    return bloomery::module::kError;  // there may be no way to say why
  }
  try {
    bloomery::module::load(context, {words, static_cast<std::size_t>(count)});
    return bloomery::module::kOk;
  } catch (const std::exception& error) {
    the_module().api.log(context, "warning", "bloomery: %s", error.what());
    bloomery::module::leave_server_memory();
    return bloomery::module::kError;
  }
}

[[gnu::visibility("default")]] int RedisModule_OnUnload(bloomery::module::Context*) {
  bloomery::module::the_module().is_loaded = false;
  bloomery::module::forget_config();
  bloomery::module::leave_server_memory();
  return bloomery::module::kOk;
}
}
