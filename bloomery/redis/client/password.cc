// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/redis/client/location.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kLongestPassword = 64 * 1024;

std::string first_line(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw StoreError(path + ": the file of the password cannot be opened");
  std::string bytes(kLongestPassword + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  bytes.resize(std::min(bytes.size(), bytes.find('\n')));
  if (bytes.ends_with('\r')) bytes.pop_back();
  if (bytes.empty()) throw StoreError(path + ": its first line, the password, is empty");
  if (bytes.size() > kLongestPassword) {
    throw StoreError(path + ": its first line is longer than the 64 KiB of a password");
  }
  return bytes;
}

}  // namespace

std::string password_of(const Location& location) {
  if (!location.password_file.empty()) return first_line(location.password_file);
  if (location.password_variable.empty()) return location.password;
  const char* const value = std::getenv(location.password_variable.c_str());
  if (value == nullptr || *value == '\0') {
    throw StoreError("the environment has no " + location.password_variable +
                     ", in which the password should be");
  }
  return value;
}

}  // namespace bloomery::redis
