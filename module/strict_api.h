// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/redis_api.h"

// Checks of how this module calls the server, for builds with tests: what only some servers forgive
// then fails on every server, as the tests see.
namespace bloomery::module {

// The functions of `api`, so that each first checks that it may be called so, and ends the process
// with a sentence where it may not.
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
//   function                called
//   reply_..., and          by a command, with its own context: others have no client, and the
//     replicate_verbatim    server dies
//   load_...                before the file has ended: zeros come behind it, which are no lengths
//   save_bytes, digest_...  with a pointer, also to no bytes
//   block_client            by a command that has replied nothing; the reply comes later
//   unblock_client          once for each client that was blocked
//
// One thread calls them: that which the server runs commands in.
Api strict(const Api& api);
// The functions that the server has, as find_api() finds them; strict() in builds with tests.
Api find_usable_api(Context* context);

// Checks, until it is destroyed, that a command gives one reply, with all its parts: a client waits
// for what is missing, and takes what is too much for the answer to its next command. A primary or
// a file, to which `may_be_silent`, waits for none. A command may run another within.
class WholeReply {
 public:
  WholeReply(Context* context, bool may_be_silent);
  ~WholeReply();
  WholeReply(const WholeReply&) = delete;
  WholeReply& operator=(const WholeReply&) = delete;
};

}  // namespace bloomery::module
