#pragma once

#include "module/redis_api.h"
#include "module/settings.h"

namespace bloomery::module {

// Makes the settings parameters of the server's, which CONFIG SET sets and CONFIG REWRITE keeps,
// and sets those that its configuration names; the values so far are what the others stay at.
// Servers before 7.0 have none for modules. Those before 8.0, and Valkey, put the module's name
// and a dot before each name, and `prefixed` does so everywhere.
//
// Throws std::runtime_error where the server refuses; it has said why in its log. `api` and
// `settings` stay.
void register_config(const Api& api, Context* context, Settings& settings, bool prefixed);

}  // namespace bloomery::module
