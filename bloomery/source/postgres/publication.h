// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bloomery/source/postgres/pgoutput.h"
#include "bloomery/source/postgres/postgres_connection.h"
#include "bloomery/source/postgres/selected_table.h"

namespace bloomery::postgres {

// The changes of a table that a publication gives, so that the application's own statements go on:
// the server refuses an UPDATE of a published table whose replica identity is missing, or not all
// in the list of columns.
struct PublicationPlan {
  std::string name{};
  SelectedTable table{};
  bool gives_updates = true;
  std::vector<std::string> columns{};          // in the table's order; empty: all there are
  std::vector<PgoutputColumn> sent_columns{};  // what a row has, in this order
  std::size_t key_index = 0;                   // among them
  std::string create_statement() const;
};

// Returns whether a location says that no UPDATE ever changes a key (updates=none). Throws
// std::invalid_argument for another word.
bool reads_no_updates(const ServerLocation& location);

// Throws std::invalid_argument, saying what can be done, for a table that cannot be followed; where
// its UPDATEs cannot, a publication of them that is there is removed first, if this user may.
// `ignores_updates`: what reads_no_updates() says.
PublicationPlan plan_publication(Connection& connection, const ServerSelection& selection,
                                 bool ignores_updates, const CallContext& context);

// Sees to it that the publication is there as it is planned; keeps one that is. Throws
// StoreError, with the statement for the table's owner, where this user may not make it.
void make_publication(Connection& connection, const PublicationPlan& plan, bool ignores_updates,
                      const ServerSelection& selection, const CallContext& context);

// NotedSlot: in which run of the server the changes of a slot were confirmed last, and how far at
// the most. It is a word of ours in the comment of the publication, so that files which are put
// back to an older state say what was so then. A slot that stands further is another of its name,
// made since.
struct NotedSlot {
  std::string run;
  std::uint64_t position = 0;
};

// Reads the note; none if nobody has written it.
std::optional<NotedSlot> noted_slot(Connection& connection, const std::string& publication,
                                    const std::string& slot, const CallContext& context);

// Says it, before anything is confirmed there. False where this user may not, as the publication is
// another's or has another's comment.
bool note_slot(Connection& connection, const std::string& publication, const std::string& slot,
               const NotedSlot& noted, const CallContext& context);

}  // namespace bloomery::postgres
