// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/redis_api.h"

namespace bloomery::module {

// The functions of `api` on keys, so that each first checks that it may be called so, and ends the
// process with a sentence where it may not. Builds with tests have it in their module: a call in a
// state that only some servers forgive then fails on every server, as the tests see.
//
//   function          key            opened for   seen where it was called otherwise
//   key_type          any, or null   either
//   type_of_value     with a value   either       null
//   value             with a value   either       null
//   set_value         any            writing      an error
//   delete_key        any            writing      an error
//   set_expire        with a value   writing      an error
//   get_expire        with a value   either       -1; from Redis 8.2 on the server dies
//   close_key         any            either
//
// One thread calls them: that which the server runs commands in.
Api strict(const Api& api);

}  // namespace bloomery::module
