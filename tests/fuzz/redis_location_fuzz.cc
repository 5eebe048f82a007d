// SPDX-License-Identifier: Apache-2.0
// Any text is the location of a server or is refused; what is one says all it must, and no message
// has its password.

#include "bloomery/redis/client/location.h"

#include <stdexcept>
#include <string>

#include "fuzz_target.h"

namespace bloomery {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check_location(const redis::Location& location) {
  promise(location.host.empty() != location.socket.empty());
  promise(!location.key.empty());
  promise(location.port != 0 && location.connections != 0 && location.timeout.count() > 0);
  for (const auto* part : {&location.host, &location.socket, &location.user, &location.password,
                           &location.password_file, &location.client_name, &location.tls.ca_file}) {
    promise(part->find('\0') == std::string::npos);
  }
  promise(location.tls.on || !location.tls.insecure_skip_verify);
  promise(location.tls.certificate_file.empty() == location.tls.key_file.empty());
  promise(redis::is_redis_location(location.server()));
}

}  // namespace
}  // namespace bloomery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    check_location(redis::parse_location(text));
  } catch (const std::invalid_argument& refused) {
    // A password that stands in the allowed forms would be found there, and nothing else that
    // happens to read like it: a setting that does not exist is named.
    const std::size_t at = text.find(":secret");
    const bool is_alone =
        at != std::string::npos && text.find("secret") == at + 1 && text.rfind("secret") == at + 1;
    promise(!is_alone || !holds(refused.what(), "secret"));
  }
  return 0;
}
