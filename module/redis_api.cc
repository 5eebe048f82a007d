// SPDX-License-Identifier: Apache-2.0
#include "module/redis_api.h"

#include <stdexcept>
#include <string>

namespace bloomery::module {
namespace {

using Find = int (*)(const char* name, void* function);

class Finder {
 public:
  // A context begins with the function that finds the others.
  explicit Finder(Context* context) : find_(*reinterpret_cast<Find*>(context)) {}

  template <class F>
  bool may(F& function, const char* name, const char* of = "RedisModule_") const {
    function = nullptr;
    const std::string full = std::string(of) + name;
    return find_(full.c_str(), static_cast<void*>(&function)) == kOk;
  }
  template <class F>
  void must(F& function, const char* name) const {
    if (!may(function, name)) {
      throw std::runtime_error(std::string("this server has no ") + name +
                               "; it takes Redis 6.2 or later, or Valkey");
    }
  }

 private:
  Find find_;
};

}  // namespace

Api find_api(Context* context) {
  const Finder find(context);
  Api api{};
  find.must(api.set_module_attributes, "SetModuleAttribs");
  find.must(api.is_module_name_busy, "IsModuleNameBusy");
  find.must(api.set_module_options, "SetModuleOptions");
  find.must(api.create_command, "CreateCommand");
  find.must(api.create_data_type, "CreateDataType");
  find.must(api.log, "Log");
  find.must(api.context_flags, "GetContextFlags");
  find.may(api.add_acl_category, "AddACLCategory");
  find.may(api.get_command, "GetCommand");
  find.may(api.set_command_info, "SetCommandInfo");
  find.may(api.set_command_acl_categories, "SetCommandACLCategories");
  find.may(api.register_string_config, "RegisterStringConfig");
  find.may(api.load_configs, "LoadConfigs");
  find.may(api.load_default_configs, "LoadDefaultConfigs");
  find.must(api.string_bytes, "StringPtrLen");
  find.must(api.create_string, "CreateString");
  find.must(api.free_string, "FreeString");
  find.must(api.open_key, "OpenKey");
  find.must(api.close_key, "CloseKey");
  find.must(api.key_type, "KeyType");
  find.must(api.type_of_value, "ModuleTypeGetType");
  find.must(api.value, "ModuleTypeGetValue");
  find.must(api.set_value, "ModuleTypeSetValue");
  find.must(api.delete_key, "DeleteKey");
  find.must(api.set_expire, "SetExpire");
  find.must(api.get_expire, "GetExpire");
  find.must(api.signal_modified_key, "SignalModifiedKey");
  find.must(api.subscribe, "SubscribeToServerEvent");
  find.must(api.notify_keyspace_event, "NotifyKeyspaceEvent");
  find.must(api.wrong_arity, "WrongArity");
  find.must(api.reply_error, "ReplyWithError");
  find.must(api.reply_number, "ReplyWithLongLong");
  find.must(api.reply_double, "ReplyWithDouble");
  find.must(api.reply_simple, "ReplyWithSimpleString");
  find.must(api.reply_bytes, "ReplyWithStringBuffer");
  find.must(api.reply_null, "ReplyWithNull");
  find.must(api.reply_array, "ReplyWithArray");
  find.may(api.reply_map, "ReplyWithMap");
  find.may(api.reply_bool, "ReplyWithBool");
  find.must(api.replicate, "Replicate");
  find.must(api.replicate_verbatim, "ReplicateVerbatim");
  find.may(api.try_alloc, "TryAlloc");
  find.may(api.try_calloc, "TryCalloc");
  find.must(api.free, "Free");
  find.must(api.get_server_info, "GetServerInfo");
  find.must(api.info_number, "ServerInfoGetFieldUnsigned");
  find.must(api.info_text, "ServerInfoGetFieldC");
  find.must(api.free_server_info, "FreeServerInfo");
  find.must(api.register_info, "RegisterInfoFunc");
  find.may(api.add_info_section, "InfoAddSection");
  find.may(api.add_info_number, "InfoAddFieldULongLong");
  find.must(api.call, "Call");
  find.must(api.reply_element, "CallReplyArrayElement");
  find.must(api.reply_text, "CallReplyStringPtr");
  find.must(api.free_reply, "FreeCallReply");
  find.must(api.reply_type, "CallReplyType");
  find.must(api.reply_integer, "CallReplyInteger");
  find.must(api.reply_length, "CallReplyLength");
  find.must(api.asks_for_keys, "IsKeysPositionRequest");
  find.must(api.key_at, "KeyAtPos");
  find.must(api.selected_database, "GetSelectedDb");
  find.must(api.select_database, "SelectDb");
  find.must(api.client_id, "GetClientId");
  find.must(api.block_client, "BlockClient");
  find.must(api.unblock_client, "UnblockClient");
  find.must(api.set_disconnect_callback, "SetDisconnectCallback");
  find.must(api.create_timer, "CreateTimer");
  find.must(api.load_unsigned, "LoadUnsigned");
  find.must(api.load_double, "LoadDouble");
  find.must(api.load_bytes, "LoadStringBuffer");
  find.must(api.is_io_error, "IsIOError");
  find.must(api.save_unsigned, "SaveUnsigned");
  find.must(api.save_double, "SaveDouble");
  find.must(api.save_bytes, "SaveStringBuffer");
  find.must(api.log_io_error, "LogIOError");
  find.must(api.context_of, "GetContextFromIO");
  find.must(api.emit_aof, "EmitAOF");
  find.must(api.digest_bytes, "DigestAddStringBuffer");
  find.must(api.digest_end, "DigestEndSequence");
  find.may(api.module_options, "GetModuleOptionsAll", "ValkeyModule_");
  return api;
}

}  // namespace bloomery::module
