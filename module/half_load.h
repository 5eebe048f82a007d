#pragma once

#include "module/call.h"

namespace bloomery::module {

// Steps of BLOOM.LOAD by which an append-only file says what half a filter has, and of a lost one
// why. Closed to all others: they make a filter say what it never was told.
//
//   HALF BF|CF header n     of a dump's header, of which n links, or slots, come by chunks
//   FILL iterator data      bytes as they were, which have come or not
//   CAME first end          bytes that have come
//   LOST why
void require_replay(const Call& call);
void half_begin(Call& call);
void half_fill(Call& call);
void half_came(Call& call);
void half_lost(Call& call);

}  // namespace bloomery::module
