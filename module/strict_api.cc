// SPDX-License-Identifier: Apache-2.0
#include "module/strict_api.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace bloomery::module {
namespace {

// The server's own functions, and how each open key was opened.
Api own{};
std::map<OpenedKey*, int>& modes() {
  static std::map<OpenedKey*, int> all;
  return all;
}

void require(bool is_so, const char* function, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "bloomery: %s is called on a key %s\n", function, what);
  std::abort();
}

void require_value(OpenedKey* key, const char* function) {
  require(key != nullptr && own.key_type(key) != kKeyEmpty, function, "that is empty");
}

void require_writable(OpenedKey* key, const char* function) {
  const auto found = modes().find(key);
  require(found != modes().end() && (found->second & kWrite) != 0, function,
          "that is not open for writing");
}

}  // namespace

Api strict(const Api& api) {
  own = api;
  Api checked = api;
  checked.open_key = [](Context* context, String* name, int mode) {
    OpenedKey* const key = own.open_key(context, name, mode);
    if (key != nullptr) modes()[key] = mode;
    return key;
  };
  checked.close_key = [](OpenedKey* key) {
    require(modes().erase(key) == 1, "CloseKey", "that is not open");
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
  return checked;
}

}  // namespace bloomery::module
