// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/secret_key.h"

#include <cerrno>
#include <span>
#include <system_error>

#include "bloomery/os/random_bytes.h"

namespace bloomery {

SecretKey SecretKey::random() {
  SecretKey key;
  if (!os::draw_random(std::as_writable_bytes(std::span(key.words)))) {
    throw std::system_error(errno, std::generic_category(), "cannot draw a secret key");
  }
  return key;
}

}  // namespace bloomery
