// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/replication_slot.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "bloomery/errors.h"
#include "bloomery/text/printable.h"

namespace bloomery::postgres {
namespace {

using Clock = CallContext::Clock;

// The server allows 63 characters, of which the publication's name takes 25 and a _.
constexpr std::size_t kLongestSlot = 37;

}  // namespace

void check_slot_name(const std::string& name, const std::string& slot) {
  const bool is_one = slot.size() <= kLongestSlot && std::ranges::all_of(slot, [](char c) {
                        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                      });
  if (is_one) return;
  throw std::invalid_argument(name + ": " + printable(slot) +
                              " is no name of a slot; allowed: up to " +
                              std::to_string(kLongestSlot) + " of a-z, 0-9 and _");
}

void refuse_slot_of_another(Connection& connection, const std::string& name,
                            const std::string& slot, const CallContext& context) {
  const Result found = connection.query(
      "SELECT database FROM pg_replication_slots "
      "WHERE slot_name = $1 AND database IS DISTINCT FROM current_database()",
      {slot}, context);
  if (found.rows() == 0) return;
  throw std::invalid_argument(name + ": the slot " + slot + " belongs to " +
                              (found.is_null(0, 0) ? "none of the databases"
                                                   : "the database " + printable(found.at(0, 0))) +
                              " of the same server; allowed: a slot of another name");
}

std::optional<std::uint64_t> confirmed_position(Connection& connection, const std::string& slot,
                                                const CallContext& context) {
  const Result found = connection.query(
      "SELECT coalesce(confirmed_flush_lsn - '0/0'::pg_lsn, 0) FROM pg_replication_slots "
      "WHERE slot_name = $1 AND plugin = 'pgoutput' AND database = current_database() "
      "AND coalesce(wal_status, 'lost') <> 'lost'",
      {slot}, context);
  if (found.rows() == 0 || found.number(0, 0) == 0) return std::nullopt;
  return found.number(0, 0);
}

void drop_slot(Connection& connection, const std::string& name, const std::string& slot,
               const CallContext& context) {
  const auto until = Clock::now() + kSlotPatience;
  while (true) {
    const Result found = connection.query(
        "SELECT active FROM pg_replication_slots WHERE slot_name = $1 "
        "AND database = current_database()",
        {slot}, context);
    if (found.rows() == 0) return;
    if (found.at(0, 0) == "f") {
      const Result dropped = connection.try_query(
          "SELECT pg_drop_replication_slot(" + quoted_text(slot) + ")", context);
      if (dropped.sql_state().empty()) return;
      // In use (55006) or gone (42704) since.
      if (dropped.sql_state() != "55006" && dropped.sql_state() != "42704") {
        connection.refuse(dropped, "the slot cannot be dropped");
      }
    }
    if (Clock::now() > until) {
      throw StoreError(name + ": the slot " + slot + " is in use by another follower");
    }
    pause(context, name + ": the slot is in use");
  }
}

void wait_until_slot_is_gone(Connection& connection, const std::string& name,
                             const std::string& slot, const CallContext& context) {
  const auto until = Clock::now() + kSlotPatience;
  while (Clock::now() < until && connection
                                         .query("SELECT count(*) FROM pg_replication_slots "
                                                "WHERE slot_name = $1 AND temporary",
                                                {slot}, context)
                                         .at(0, 0) != "0") {
    pause(context, name + ": the slot is not gone yet");
  }
}

std::string slots_of(Connection& connection, const std::string& publication,
                     const CallContext& context) {
  const Result found = connection.query(
      "SELECT coalesce(string_agg(slot_name, ', '), '') FROM pg_replication_slots "
      "WHERE left(slot_name, length($1)) = $1 AND database = current_database()",
      {publication + "_"}, context);
  return found.text(0, 0);
}

void pause(const CallContext& context, const std::string& what) {
  if (context.is_over()) throw CallAborted(what);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace bloomery::postgres
