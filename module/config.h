// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/redis_api.h"

namespace bloomery::module {

// Makes the settings parameters of the server's, which CONFIG SET sets and CONFIG REWRITE keeps,
// and sets those that its configuration names; the values so far are what the others stay at.
// Servers before 7.0 have none for modules. Those before 8.0, and Valkey, put the module's name
// and a dot before each name, and a prefix does so everywhere.
//
// Throws std::runtime_error where the server refuses; it has said why in its log.
void register_config(Context* context);

// Gives back what it holds of the server's: afterwards that may be another one, or gone.
void forget_config() noexcept;

}  // namespace bloomery::module
