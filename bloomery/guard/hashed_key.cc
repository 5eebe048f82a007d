#include "bloomery/guard/hashed_key.h"

#include "bloomery/hash/highway_hash.h"
#include "bloomery/hash/secret_key.h"

namespace bloomery {

HashedKey hashed(Key key) {
  static const SecretKey secret = SecretKey::random();
  return {key, highway_hash_128(key, secret).h1};
}

}  // namespace bloomery
