// SPDX-License-Identifier: Apache-2.0
#include "module/open_key.h"

#include <algorithm>

#include "module/the_module.h"

namespace bloomery::module {

ServerString::ServerString(Context* context, std::string_view text)
    : context_(context), string_(api().create_string(context, text.data(), text.size())) {}

ServerString::~ServerString() {
  api().free_string(context_, string_);
}

OpenKey::OpenKey(Context* context, String* name, int mode)
    : key_(api().open_key(context, name, mode)) {
  if (key_ == nullptr) return;
  const int type = api().key_type(key_);
  is_empty_ = type == kKeyEmpty;
  if (type != kKeyModule) return;
  const auto& types = the_module().types;
  const auto found = std::ranges::find(types, api().type_of_value(key_));
  if (found == types.end()) return;
  type_ = static_cast<ValueType>(found - types.begin());
  value_ = api().value(key_);
}

OpenKey::~OpenKey() {
  if (key_ != nullptr) api().close_key(key_);
}

void OpenKey::set(ValueType type, void* value) {
  if (api().set_value(key_, the_module().types[static_cast<std::size_t>(type)], value) != kOk) {
    throw Refusal("ERR could not create filter");
  }
  type_ = type;
  value_ = value;
  is_empty_ = false;
}

void OpenKey::remove() {
  api().delete_key(key_);
  is_empty_ = true;
  type_.reset();
}

void OpenKey::require_not_lost() const {
  if (const auto* const lost = get<LostFilter>(); lost != nullptr) throw Refusal(lost->refusal());
}

// Returns when the key expires. Does not ask the server about an empty key: Redis from 8.2 on would
// die instead of answering.
long long OpenKey::expires_after() const {
  return is_empty() ? kNeverExpires : api().get_expire(key_);
}

void OpenKey::expire_after(std::uint64_t milliseconds) {
  api().set_expire(key_, static_cast<long long>(milliseconds));
}

}  // namespace bloomery::module
