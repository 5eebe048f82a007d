// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "bloomery/source/key_source.h"
#include "bloomery/source/postgres/postgres_connection.h"
#include "bloomery/text/key_form.h"

namespace bloomery::postgres {

// How the values of a column become keys.
struct KeyReading {
  KeyForm form;
  bool is_bytea = false;  // printed as \x6162, and the key is its bytes
};

// Hands over the keys that a query of one column selects, by COPY ... TO STDOUT: on another
// thread, while the next come. Ends early where the consumer wants no more; then, and after an
// exception, the connection is closed.
SourceTotals copy_keys(Connection& connection, const std::string& query, const KeyReading& reading,
                       const BatchConsumer& consumer, const CallContext& context);

// The bytes of a bytea that is printed as \x and digits. Throws StoreError where it is none.
void read_bytea(std::string_view text, std::string& bytes);

}  // namespace bloomery::postgres
