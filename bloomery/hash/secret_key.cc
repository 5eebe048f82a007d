// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/secret_key.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace bloomery {

SecretKey SecretKey::random() {
  SecretKey key;
  // Requests of up to 256 bytes are never cut short once the generator is seeded (getrandom(2)).
  ssize_t got = 0;
  do {
    got = getrandom(key.words.data(), sizeof key.words, 0);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof key.words)) {
    throw std::system_error(errno, std::generic_category(), "cannot draw a secret key");
  }
  return key;
}

}  // namespace bloomery
