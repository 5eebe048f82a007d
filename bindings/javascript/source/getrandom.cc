// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <sys/random.h>
#include <unistd.h>

// Emscripten 3.1.6 declares it, and has only its like.
extern "C" ssize_t getrandom(void* bytes, size_t size, unsigned) {
  return getentropy(bytes, size) == 0 ? static_cast<ssize_t>(size) : -1;
}
