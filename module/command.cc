// SPDX-License-Identifier: Apache-2.0
#include "module/command.h"

#include <stdexcept>
#include <string>

namespace bloomery::module {
namespace {

// Servers go without what they do not take.
void describe(const Api& api, RegisteredCommand* command, const Command& of) {
  const CommandInfoVersion version{.key_spec_bytes = sizeof(KeySpec),
                                   .argument_bytes = sizeof(Argument)};
  KeySpec keys[3];
  keys[0].flags = of.docs.key_flags;
  KeySpec* end = &keys[1];
  if (of.last_key < 0) {  // the others are read alone
    end->flags = kTells;
    end->begin.index = 2;
    end->range[0] = of.last_key;
    ++end;
  }
  if (of.last_key == kCountedKeys) keys[0].find_by_count();
  end->begins_by = 0;
  end->found_by = 0;
  CommandInfo info;
  info.version = &version;
  info.summary = of.docs.summary;
  info.complexity = of.docs.complexity;
  info.since = of.docs.since;
  info.tips = of.docs.tips;
  info.arity = of.arity;
  info.key_specs = keys;
  info.arguments = of.docs.arguments;
  api.set_command_info(command, &info);
}

}  // namespace

void register_commands(const Api& api, Context* context, const char* category,
                       std::span<const Command> commands) {
  const bool has_categories = api.add_acl_category != nullptr && api.get_command != nullptr &&
                              api.set_command_acl_categories != nullptr;
  // A server that has it already has it of RedisBloom, whose users may use these too.
  if (has_categories) api.add_acl_category(context, category);
  for (const Command& each : commands) {
    const std::string name = the_module().names.command(each.name);
    const int step = each.last_key == kCountedKeys ? 0 : 1;  // 0 to 0 by 0: by the description
    if (api.create_command(context, name.c_str(), each.function, each.flags, step, each.last_key,
                           step) != kOk) {
      throw std::runtime_error("the server has a command " + name +
                               " already; is RedisBloom loaded?");
    }
    if (api.get_command == nullptr) continue;
    RegisteredCommand* const command = api.get_command(context, name.c_str());
    if (api.set_command_info != nullptr) describe(api, command, each);
    if (has_categories) api.set_command_acl_categories(command, each.acl_categories);
  }
}

}  // namespace bloomery::module
