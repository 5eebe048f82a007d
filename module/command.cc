#include "module/command.h"

#include <stdexcept>
#include <string>

namespace bloomery::module {

void register_commands(const Api& api, Context* context, const char* category,
                       std::span<const Command> commands) {
  const bool has_categories = api.add_acl_category != nullptr && api.get_command != nullptr &&
                              api.set_command_acl_categories != nullptr &&
                              api.add_acl_category(context, category) == kOk;
  for (const Command& each : commands) {
    if (api.create_command(context, each.name, each.function, each.flags, 1, 1, 1) != kOk) {
      throw std::runtime_error(std::string("the server has a command ") + each.name +
                               " already; is RedisBloom loaded?");
    }
    if (has_categories) {
      api.set_command_acl_categories(api.get_command(context, each.name), each.acl_categories);
    }
  }
}

}  // namespace bloomery::module
