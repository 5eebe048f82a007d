// SPDX-License-Identifier: Apache-2.0
#include "module/strict_api.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

namespace bloomery::module {
namespace {

// The server's own functions, and how each open key was opened.
Api own{};
std::map<OpenedKey*, int>& modes() {
  static std::map<OpenedKey*, int> all;
  return all;
}

void require(bool is_so, const char* function, const char* what, const char* does = "is called") {
  if (is_so) return;
  std::fprintf(stderr, "bloomery: %s %s %s\n", function, does, what);
  std::abort();
}

void require_value(OpenedKey* key, const char* function) {
  require(key != nullptr && own.key_type(key) != kKeyEmpty, function, "on a key that is empty");
}

void require_writable(OpenedKey* key, const char* function) {
  const auto found = modes().find(key);
  require(found != modes().end() && (found->second & kWrite) != 0, function,
          "on a key that is not open for writing");
}

// The command that runs, and how many parts of its reply are still to come.
struct Answering {
  Context* context = nullptr;
  bool may_be_silent = false;
  long parts = 0;
} answering;
std::vector<Answering> outer;  // commands that called the server, which called this module
constexpr long kWhole = 1;

void require_command(Context* context, const char* function) {
  require(context != nullptr && context == answering.context, function, "by no command");
}

// One part has come, which has so many of its own.
void count_part(Context* context, const char* function, long parts = 0) {
  require_command(context, function);
  require(answering.parts > 0, function, "behind a whole reply");
  answering.parts += parts - 1;
}

void require_more(Io* io, const char* function) {
  require(own.is_io_error(io) == 0, function, "behind the end of a file");
}

void check_keys(Api& checked) {
  checked.open_key = [](Context* context, String* name, int mode) {
    OpenedKey* const key = own.open_key(context, name, mode);
    if (key != nullptr) modes()[key] = mode;
    return key;
  };
  checked.close_key = [](OpenedKey* key) {
    require(modes().erase(key) == 1, "CloseKey", "on a key that is not open");
    own.close_key(key);
  };
  checked.type_of_value = [](OpenedKey* key) {
    require_value(key, "ModuleTypeGetType");
    return own.type_of_value(key);
  };
  checked.value = [](OpenedKey* key) {
    require_value(key, "ModuleTypeGetValue");
    return own.value(key);
  };
  checked.set_value = [](OpenedKey* key, Type* type, void* value) {
    require_writable(key, "ModuleTypeSetValue");
    return own.set_value(key, type, value);
  };
  checked.delete_key = [](OpenedKey* key) {
    require_writable(key, "DeleteKey");
    return own.delete_key(key);
  };
  checked.set_expire = [](OpenedKey* key, long long milliseconds) {
    require_writable(key, "SetExpire");
    require_value(key, "SetExpire");
    return own.set_expire(key, milliseconds);
  };
  checked.get_expire = [](OpenedKey* key) {
    require_value(key, "GetExpire");
    return own.get_expire(key);
  };
}

void check_replies(Api& checked) {
  checked.wrong_arity = [](Context* context) {
    count_part(context, "WrongArity");
    return own.wrong_arity(context);
  };
  checked.reply_error = [](Context* context, const char* text) {
    count_part(context, "ReplyWithError");
    return own.reply_error(context, text);
  };
  checked.reply_number = [](Context* context, long long number) {
    count_part(context, "ReplyWithLongLong");
    return own.reply_number(context, number);
  };
  checked.reply_double = [](Context* context, double number) {
    count_part(context, "ReplyWithDouble");
    return own.reply_double(context, number);
  };
  checked.reply_simple = [](Context* context, const char* text) {
    count_part(context, "ReplyWithSimpleString");
    return own.reply_simple(context, text);
  };
  checked.reply_bytes = [](Context* context, const char* bytes, std::size_t size) {
    count_part(context, "ReplyWithStringBuffer");
    return own.reply_bytes(context, bytes, size);
  };
  checked.reply_null = [](Context* context) {
    count_part(context, "ReplyWithNull");
    return own.reply_null(context);
  };
  checked.reply_array = [](Context* context, long size) {
    count_part(context, "ReplyWithArray", size);
    return own.reply_array(context, size);
  };
  if (own.reply_map != nullptr) {
    checked.reply_map = [](Context* context, long size) {
      count_part(context, "ReplyWithMap", 2 * size);
      return own.reply_map(context, size);
    };
  }
  if (own.reply_bool != nullptr) {
    checked.reply_bool = [](Context* context, int value) {
      count_part(context, "ReplyWithBool");
      return own.reply_bool(context, value);
    };
  }
  checked.replicate_verbatim = [](Context* context) {
    require_command(context, "ReplicateVerbatim");
    return own.replicate_verbatim(context);
  };
}

void check_blocking(Api& checked) {
  static std::set<BlockedClient*> blocked;
  checked.block_client = [](Context* context, CommandFunction reply, CommandFunction timeout,
                            void (*free)(Context*, void*), long long timeout_ms) {
    require_command(context, "BlockClient");
    require(answering.parts == kWhole, "BlockClient", "behind a reply");
    BlockedClient* const client = own.block_client(context, reply, timeout, free, timeout_ms);
    require(client != nullptr, "BlockClient", "nothing", "gives");
    blocked.insert(client);
    answering.parts = 0;  // it comes later
    return client;
  };
  checked.unblock_client = [](BlockedClient* client, void* data) {
    require(blocked.erase(client) == 1, "UnblockClient", "on a client that is not blocked");
    return own.unblock_client(client, data);
  };
}

void check_files(Api& checked) {
  checked.load_unsigned = [](Io* io) {
    require_more(io, "LoadUnsigned");
    return own.load_unsigned(io);
  };
  checked.load_double = [](Io* io) {
    require_more(io, "LoadDouble");
    return own.load_double(io);
  };
  checked.load_bytes = [](Io* io, std::size_t* size) {
    require_more(io, "LoadStringBuffer");
    return own.load_bytes(io, size);
  };
  checked.save_bytes = [](Io* io, const char* bytes, std::size_t size) {
    require(bytes != nullptr, "SaveStringBuffer", "with null");
    own.save_bytes(io, bytes, size);
  };
  checked.digest_bytes = [](Digest* of, const char* bytes, std::size_t size) {
    require(bytes != nullptr, "DigestAddStringBuffer", "with null");
    own.digest_bytes(of, bytes, size);
  };
}

}  // namespace

Api strict(const Api& api) {
  own = api;
  Api checked = api;
  check_keys(checked);
  check_replies(checked);
  check_blocking(checked);
  check_files(checked);
  return checked;
}

WholeReply::WholeReply(Context* context, bool may_be_silent) {
  outer.push_back(answering);
  answering = {context, may_be_silent, kWhole};
}

WholeReply::~WholeReply() {
  const bool is_silent = answering.may_be_silent && answering.parts == kWhole;
  require(answering.parts == 0 || is_silent, "a command", "without a whole reply", "ends");
  answering = outer.back();
  outer.pop_back();
}

Api find_usable_api(Context* context) {
#ifdef BLOOMERY_STRICT_API
  return strict(find_api(context));
#else
  return find_api(context);
#endif
}

}  // namespace bloomery::module
