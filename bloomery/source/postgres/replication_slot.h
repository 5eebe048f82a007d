// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/source/postgres/postgres_connection.h"

namespace bloomery::postgres {

// How long the server may take to notice that who had a slot is gone.
constexpr std::chrono::seconds kSlotPatience{10};

// The slots of a publication's followers, whose names begin with its own. Names of slots are the
// server's, of all its databases; another's slot gives none of our changes, and is not ours to take
// or to drop. `name`: what the source is called in messages.

// Throws std::invalid_argument where a slot cannot be called so behind its publication's name.
void check_slot_name(const std::string& name, const std::string& slot);

// Throws std::invalid_argument where another database has it.
void refuse_slot_of_another(Connection& connection, const std::string& name,
                            const std::string& slot, const CallContext& context);

// Returns up to where what the slot gave was confirmed: it gives all that came after. None if there
// is no such slot, or it has nothing to give any more.
std::optional<std::uint64_t> confirmed_position(Connection& connection, const std::string& slot,
                                                const CallContext& context);

// Drops the slot. If another database has the slot, there is none of ours. Throws StoreError if it
// stays in use.
void drop_slot(Connection& connection, const std::string& name, const std::string& slot,
               const CallContext& context);

// Waits until a temporary slot is gone with its connection, or for as long as the server may take
// for it.
void wait_until_slot_is_gone(Connection& connection, const std::string& name,
                             const std::string& slot, const CallContext& context);

std::string slots_of(Connection& connection, const std::string& publication,
                     const CallContext& context);

// Waits between two looks at what the server does by itself. Throws CallAborted(what) when the time
// is over.
void pause(const CallContext& context, const std::string& what);

}  // namespace bloomery::postgres
