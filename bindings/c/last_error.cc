// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/last_error.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "bindings/c/failures.h"
#include "bloomery/c/bloomery.h"
#include "bloomery/errors.h"
#include "bloomery/place/call_context.h"
#include "bloomery/text/secrets.h"

namespace bloomery::c {
namespace {

// Without constructors and destructors: there for every thread, also one that ends, and where no
// memory is left.
constinit thread_local int last_status = BLOOMERY_OK;
constinit thread_local int last_number = 0;
constinit thread_local std::array<char, 2048> last_message{};
constinit thread_local std::array<char, 4097> last_path{};

template <std::size_t size>
void copy_text(const char* text, std::array<char, size>& to) noexcept {
  std::size_t length = std::min(std::strlen(text), size - 1);
  // Never half a character.
  if (text[length] != '\0') {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  }
  std::memcpy(to.data(), text, length);
  to[length] = '\0';
}

}  // namespace

void remember(int status, const char* message, int error_number, const char* path) noexcept {
  last_status = status;
  last_number = error_number;
  try {
    copy_text(without_secrets(message).c_str(), last_message);
  } catch (const std::bad_alloc&) {
    copy_text("there is not enough memory for the message", last_message);
  }
  copy_text(path, last_path);
}

int remember_exception() noexcept {
  int status = BLOOMERY_FAILED;
  try {
    throw;
  } catch (const WrongKeys& error) {
    remember(status = BLOOMERY_WRONG_KEYS, error.what());
  } catch (const InDoubt& error) {
    remember(status = BLOOMERY_IN_DOUBT, error.what());
  } catch (const FormatError& error) {
    remember(status = BLOOMERY_BAD_FORMAT, error.what());
  } catch (const IncompatibleError& error) {
    remember(status = BLOOMERY_INCOMPATIBLE, error.what());
  } catch (const FileError& error) {
    remember(status = BLOOMERY_STORE_FAILED, error.what(), error.error_number, error.path.c_str());
  } catch (const StoreError& error) {
    remember(status = BLOOMERY_STORE_FAILED, error.what());
  } catch (const CallAborted& error) {
    remember(status = BLOOMERY_TOO_LATE, error.what());
  } catch (const std::system_error& error) {
    remember(status = BLOOMERY_STORE_FAILED, error.what(), error.code().value());
  } catch (const std::bad_alloc&) {
    remember(status = BLOOMERY_NO_MEMORY, "there is not enough memory");
  } catch (const std::length_error& error) {
    remember(status = BLOOMERY_NO_MEMORY, error.what());
  } catch (const std::invalid_argument& error) {
    remember(status = BLOOMERY_BAD_ARGUMENT, error.what());
  } catch (const std::exception& error) {
    remember(status, error.what());
  } catch (...) {
    remember(status, "something was thrown that is no error of ours");
  }
  return status;
}

}  // namespace bloomery::c

extern "C" {

int bloomery_status(void) {
  return bloomery::c::last_status;
}

const char* bloomery_message(void) {
  return bloomery::c::last_message.data();
}

int bloomery_error_number(void) {
  return bloomery::c::last_number;
}

const char* bloomery_error_path(void) {
  return bloomery::c::last_path.data();
}

}  // extern "C"
