// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/lost_pages.h"

#include <cerrno>
#include <system_error>

// Windows lets nobody truncate a file that is mapped. What its disk or its server fails to give
// ends the process: no page of a mapped file can be replaced by one of our own.
namespace bloomery {

LostPages::LostPages(std::span<std::byte>, int, std::uint64_t) : watch_(nullptr) {
  throw std::system_error(ENOSYS, std::generic_category(),
                          "pages that are lost under a mapped file are not replaced on Windows: "
                          "load the file, or map it with survive_truncation = false");
}

LostPages::~LostPages() = default;

bool LostPages::any() const noexcept {
  return false;
}

bool LostPages::is_handled() noexcept {
  return false;
}

}  // namespace bloomery
