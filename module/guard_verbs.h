// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/call.h"
#include "module/refusal.h"

// A function for each GUARD command. docs/guard_protocol.md says what each does and answers.
namespace bloomery::module {

inline bool is_on_primary(const Call& call) noexcept {
  return (call.flags() & kPrimary) != 0;
}
inline void require_primary(const Call& call) {
  if (!is_on_primary(call)) throw Refusal("GUARD not a primary");
}

void guard_get(Call& call);
void guard_put(Call& call);
void guard_drop(Call& call);
void guard_announce(Call& call);
void guard_erase(Call& call);
void guard_ask(Call& call);
void guard_insert(Call& call);
void guard_open(Call& call);
void guard_enter(Call& call);
void guard_leave(Call& call);

}  // namespace bloomery::module
