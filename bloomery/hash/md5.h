// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// MD5 (RFC 1321), which filters of other systems are made with: the first and the last eight bytes
// of the digest as little-endian numbers. Not for keys that strangers choose.
HashPair md5(Key key) noexcept;

}  // namespace bloomery
