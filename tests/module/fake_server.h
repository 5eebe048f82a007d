// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "module/redis_api.h"

extern "C" int RedisModule_OnLoad(bloomery::module::Context*, bloomery::module::String**, int);
extern "C" int RedisModule_OnUnload(bloomery::module::Context*);

namespace bloomery::testing {

// Servers as modules see them: a table of functions, by name.
enum class ServerVersion { redis_6_2, redis_7_0, redis_7_2, redis_7_4, redis_8_0 };

// Plays a server of one of these versions; there is one at a time. Keeps what a module registers,
// and one key.
class FakeServer {
 public:
  using Api = module::Api;
  using Context = module::Context;
  using String = module::String;

  explicit FakeServer(ServerVersion version) : version_(version) {
    the_one = this;
    hand_out();
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  ~FakeServer() {
    if (value_ != nullptr) types.at(type_).free(value_);
    RedisModule_OnUnload(context());
    the_one = nullptr;
  }

  bool load(const std::vector<std::string>& words = {}) {
    std::vector<std::string> texts = words;
    std::vector<String*> strings;
    for (std::string& each : texts) strings.push_back(as_string(each));
    return RedisModule_OnLoad(context(), strings.data(), static_cast<int>(strings.size())) ==
           module::kOk;
  }
  // Forgets what a failed load registered.
  void forget() {
    commands.clear();
    parameters.clear();
    types.clear();
  }
  // The reply, its parts apart by blanks.
  std::string call(const std::vector<std::string>& words) {
    std::vector<std::string> texts = words;
    std::vector<String*> strings;
    for (std::string& each : texts) strings.push_back(as_string(each));
    replies_.clear();
    commands.at(words[0]).function(context(), strings.data(), static_cast<int>(strings.size()));
    return replies_;
  }

  // Does what a server does with the type of the key's value when it stores and measures it.
  std::string stored() {
    const module::TypeMethods& methods = types.at(type_);
    std::string name = "key";
    written_.clear();
    methods.rdb_save(nullptr, value_);
    methods.aof_rewrite(nullptr, as_string(name), value_);
    methods.digest(nullptr, value_);
    written_ += std::to_string(methods.mem_usage(value_));
    return written_;
  }

  struct Command {
    module::CommandFunction function = nullptr;
    std::string flags{};
    std::string categories{};
    bool is_described = false;
  };
  struct Parameter {
    std::string usual{};
    unsigned flags = 0;
    String* (*get)(const char*, void*) = nullptr;
    int (*set)(const char*, String*, void*, String**) = nullptr;
    void* of = nullptr;
  };
  std::string config_get(const std::string& of) {
    const Parameter& parameter = parameters.at(of);
    return as_text(parameter.get(of.c_str(), parameter.of));
  }
  // Sets a parameter, and returns the message of a refusal, or nothing.
  std::string config_set(const std::string& of, std::string value) {
    const Parameter& parameter = parameters.at(of);
    String* error = nullptr;
    if (parameter.set(of.c_str(), as_string(value), parameter.of, &error) == module::kOk) {
      return "";
    }
    const std::string why = as_text(error);
    delete reinterpret_cast<std::string*>(error);
    return why;
  }

  std::map<std::string, Command> commands{};
  std::map<std::string, Parameter> parameters{};
  std::map<std::string, module::TypeMethods> types{};
  std::set<std::string> categories{};
  std::map<std::string, std::string> configured{};  // by what it is started with
  std::set<std::string> lacks{};                    // names of functions
  std::string busy_name{};
  std::string module_name{};
  std::string log{};
  std::string replicated{};  // names of commands
  bool has_resp3 = false;
  int valkey_options = 0;  // all that it knows; 0: it is no Valkey
  int options = 0;         // that the module gave

 private:
  using Find = int (*)(const char*, void*);

  static std::string& as_text(const String* string) {
    return *reinterpret_cast<std::string*>(const_cast<String*>(string));
  }
  static String* as_string(std::string& text) { return reinterpret_cast<String*>(&text); }
  Context* context() { return reinterpret_cast<Context*>(&find_); }

  static int find(const char* full_name, void* function) {
    if (!std::string(full_name).starts_with("RedisModule_")) {  // of Valkey's own
      const bool has = the_one->valkey_options != 0 &&
                       std::string(full_name) == "ValkeyModule_GetModuleOptionsAll";
      int (*const options)() = [] { return the_one->valkey_options; };
      if (has) *static_cast<int (**)()>(function) = options;
      return has ? module::kOk : module::kError;
    }
    const std::string function_name = std::string(full_name).substr(sizeof "RedisModule_" - 1);
    static const std::map<std::string, ServerVersion> since{
        {"GetCommand", ServerVersion::redis_7_0},
        {"SetCommandInfo", ServerVersion::redis_7_0},
        {"ReplyWithMap", ServerVersion::redis_7_0},
        {"ReplyWithBool", ServerVersion::redis_7_0},
        {"TryAlloc", ServerVersion::redis_7_0},
        {"RegisterStringConfig", ServerVersion::redis_7_0},
        {"LoadConfigs", ServerVersion::redis_7_0},
        {"SetCommandACLCategories", ServerVersion::redis_7_2},
        {"AddACLCategory", ServerVersion::redis_7_4},
        {"TryCalloc", ServerVersion::redis_7_4},
        {"LoadDefaultConfigs", ServerVersion::redis_8_0},
    };
    const auto introduced = since.find(function_name);
    if (introduced != since.end() && introduced->second > the_one->version_) return module::kError;
    if (the_one->lacks.contains(function_name)) return module::kError;
    const auto known = the_one->functions_.find(function_name);
    // Functions that loading and the few commands of the tests do not use end the program.
    void* const given =
        known != the_one->functions_.end() ? known->second : reinterpret_cast<void*>(&std::abort);
    *static_cast<void**>(function) = given;
    return module::kOk;
  }

  template <auto member>
  void give(const char* function,
            std::remove_reference_t<decltype(std::declval<Api&>().*member)> what) {
    functions_[function] = reinterpret_cast<void*>(what);
  }
  static int reply(const std::string& part) {
    the_one->replies_ += (the_one->replies_.empty() ? "" : " ") + part;
    return module::kOk;
  }
  static void write_log(Context*, const char*, const char* format, ...) {
    char line[1000];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    the_one->log += line;
  }
  static void emit(module::Io*, const char* command, const char*, ...) {
    the_one->written_ += command;
  }
  static int replicate(Context*, const char* command, const char*, ...) {
    the_one->replicated += std::string(command) + " ";
    return module::kOk;
  }

  void hand_out() {
    using module::kError;
    using module::kOk;
    give<&Api::is_module_name_busy>(
        "IsModuleNameBusy", [](const char* of) { return the_one->busy_name == of ? 1 : 0; });
    give<&Api::set_module_attributes>("SetModuleAttribs", [](Context*, const char* of, int, int) {
      the_one->module_name = of;
      return kOk;
    });
    give<&Api::set_module_options>("SetModuleOptions",
                                   [](Context*, int given) { the_one->options = given; });
    give<&Api::log>("Log", write_log);
    give<&Api::context_flags>("GetContextFlags",
                              [](Context*) { return the_one->has_resp3 ? module::kResp3 : 0; });
    give<&Api::create_command>(
        "CreateCommand", [](Context*, const char* of, module::CommandFunction function,
                            const char* flags, int, int, int) {
          const bool is_new = the_one->commands.try_emplace(of, Command{function, flags}).second;
          return is_new ? kOk : kError;
        });
    give<&Api::get_command>("GetCommand", [](Context*, const char* of) {
      return reinterpret_cast<module::RegisteredCommand*>(&the_one->commands.at(of));
    });
    give<&Api::set_command_info>(
        "SetCommandInfo", [](module::RegisteredCommand* of, const module::CommandInfo* info) {
          reinterpret_cast<Command*>(of)->is_described = info->arguments != nullptr;
          return kOk;
        });
    give<&Api::add_acl_category>("AddACLCategory", [](Context*, const char* of) {
      return the_one->categories.insert(of).second ? kOk : kError;
    });
    give<&Api::set_command_acl_categories>("SetCommandACLCategories",
                                           [](module::RegisteredCommand* of, const char* all) {
                                             reinterpret_cast<Command*>(of)->categories = all;
                                             return kOk;
                                           });
    give<&Api::create_data_type>(
        "CreateDataType", [](Context*, const char* of, int, module::TypeMethods* methods) {
          const auto [at, is_new] = the_one->types.try_emplace(of, *methods);
          return is_new ? reinterpret_cast<module::Type*>(&*at) : nullptr;
        });
    give<&Api::register_string_config>(
        "RegisterStringConfig",
        [](Context*, const char* of, const char* usual, unsigned flags,
           String* (*get)(const char*, void*), int (*set)(const char*, String*, void*, String**),
           int (*)(Context*, void*, String**), void* data) {
          const Parameter parameter{usual, flags, get, set, data};
          return the_one->parameters.try_emplace(of, parameter).second ? kOk : kError;
        });
    give<&Api::load_configs>("LoadConfigs", [](Context*) {
      for (const auto& [of, parameter] : the_one->parameters) {
        const auto said = the_one->configured.find(of);
        const bool is_said = said != the_one->configured.end();
        if (!the_one->config_set(of, is_said ? said->second : parameter.usual).empty())
          return kError;
      }
      return kOk;
    });
    give<&Api::string_bytes>("StringPtrLen", [](const String* of, std::size_t* size) {
      *size = as_text(of).size();
      return as_text(of).c_str();
    });
    give<&Api::create_string>("CreateString", [](Context*, const char* bytes, std::size_t size) {
      return as_string(*new std::string(bytes, size));
    });
    give<&Api::free_string>("FreeString", [](Context*, String* of) { delete &as_text(of); });

    give<&Api::open_key>("OpenKey", [](Context*, String*, int) {
      return reinterpret_cast<module::OpenedKey*>(the_one);
    });
    give<&Api::close_key>("CloseKey", [](module::OpenedKey*) {});
    give<&Api::key_type>("KeyType", [](module::OpenedKey*) {
      return the_one->value_ == nullptr ? module::kKeyEmpty : module::kKeyModule;
    });
    give<&Api::type_of_value>("ModuleTypeGetType", [](module::OpenedKey*) {
      return reinterpret_cast<module::Type*>(&*the_one->types.find(the_one->type_));
    });
    give<&Api::value>("ModuleTypeGetValue", [](module::OpenedKey*) { return the_one->value_; });
    give<&Api::set_value>("ModuleTypeSetValue",
                          [](module::OpenedKey*, module::Type* type, void* value) {
                            using Entry = std::pair<const std::string, module::TypeMethods>;
                            the_one->type_ = reinterpret_cast<Entry*>(type)->first;
                            the_one->value_ = value;
                            return kOk;
                          });
    give<&Api::signal_modified_key>("SignalModifiedKey", [](Context*, String*) { return kOk; });
    give<&Api::subscribe>("SubscribeToServerEvent",
                          [](Context*, module::Event, module::EventFunction) { return 0; });
    give<&Api::notify_keyspace_event>("NotifyKeyspaceEvent",
                                      [](Context*, int, const char*, String*) { return kOk; });
    give<&Api::replicate>("Replicate", replicate);
    give<&Api::register_info>("RegisterInfoFunc",
                              [](Context*, void (*)(module::Info*, int)) { return kOk; });
    give<&Api::replicate_verbatim>("ReplicateVerbatim", [](Context*) { return kOk; });

    // Nobody waits here, and no time passes.
    give<&Api::block_client>(
        "BlockClient",
        [](Context*, module::CommandFunction, module::CommandFunction, void (*)(Context*, void*),
           long long) { return static_cast<module::BlockedClient*>(nullptr); });
    give<&Api::unblock_client>("UnblockClient", [](module::BlockedClient*, void*) { return kOk; });
    give<&Api::set_disconnect_callback>(
        "SetDisconnectCallback",
        [](module::BlockedClient*, void (*)(Context*, module::BlockedClient*)) {});
    give<&Api::create_timer>("CreateTimer", [](Context*, long long, module::TimerFunction, void*) {
      return std::uint64_t{1};
    });
    give<&Api::selected_database>("GetSelectedDb", [](Context*) { return 0; });
    give<&Api::select_database>("SelectDb", [](Context*, int) { return kOk; });

    give<&Api::wrong_arity>("WrongArity", [](Context*) { return reply("-arity"); });
    give<&Api::reply_error>("ReplyWithError", [](Context*, const char* text) {
      return reply(std::string("-") + text);
    });
    give<&Api::reply_number>("ReplyWithLongLong", [](Context*, long long number) {
      return reply(":" + std::to_string(number));
    });
    give<&Api::reply_simple>("ReplyWithSimpleString", [](Context*, const char* text) {
      return reply(std::string("+") + text);
    });
    give<&Api::reply_array>("ReplyWithArray",
                            [](Context*, long size) { return reply("*" + std::to_string(size)); });
    give<&Api::reply_map>("ReplyWithMap",
                          [](Context*, long size) { return reply("%" + std::to_string(size)); });
    give<&Api::reply_bool>("ReplyWithBool",
                           [](Context*, int value) { return reply(value != 0 ? "#t" : "#f"); });
    give<&Api::save_unsigned>("SaveUnsigned", [](module::Io*, std::uint64_t number) {
      the_one->written_ += std::to_string(number) + " ";
    });
    give<&Api::save_double>("SaveDouble", [](module::Io*, double number) {
      the_one->written_ += std::to_string(number) + " ";
    });
    give<&Api::save_bytes>("SaveStringBuffer",
                           [](module::Io*, const char* bytes, std::size_t size) {
                             the_one->written_.append(bytes, size);
                           });
    give<&Api::digest_bytes>("DigestAddStringBuffer",
                             [](module::Digest*, const char* bytes, std::size_t size) {
                               the_one->written_.append(bytes, size);
                             });
    give<&Api::digest_end>("DigestEndSequence", [](module::Digest*) {});
    give<&Api::emit_aof>("EmitAOF", emit);
    give<&Api::try_alloc>("TryAlloc", [](std::size_t size) { return std::malloc(size); });
    give<&Api::try_calloc>(
        "TryCalloc", [](std::size_t count, std::size_t size) { return std::calloc(count, size); });
    give<&Api::free>("Free", [](void* bytes) { std::free(bytes); });
  }

  static inline FakeServer* the_one = nullptr;

  Find find_ = find;
  ServerVersion version_;
  std::map<std::string, void*> functions_{};
  std::string replies_{};
  std::string written_{};
  std::string type_{};
  void* value_ = nullptr;
};

}  // namespace bloomery::testing
