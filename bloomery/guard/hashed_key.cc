// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/hashed_key.h"

#include "bloomery/hash/secret_key.h"
#include "bloomery/hash/sip_hash.h"

namespace bloomery {
namespace {

SipHash<1, 3> random_hash() {
  const SecretKey secret = SecretKey::random();
  return SipHash<1, 3>({secret.words[0], secret.words[1]});
}

}  // namespace

HashedKey hashed(Key key) {
  static const SipHash<1, 3> hash = random_hash();
  return {key, hash(key)};
}

}  // namespace bloomery
