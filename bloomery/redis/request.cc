#include "bloomery/redis/request.h"

#include <hiredis/hiredis.h>

#include <memory>
#include <new>
#include <vector>

namespace bloomery::redis {

Request& Request::add(std::span<const std::string_view> words) {
  std::vector<const char*> starts(words.size());
  std::vector<std::size_t> sizes(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    starts[i] = words[i].data();
    sizes[i] = words[i].size();
  }
  char* raw = nullptr;
  const int size =
      redisFormatCommandArgv(&raw, static_cast<int>(words.size()), starts.data(), sizes.data());
  const std::unique_ptr<char, void (*)(char*)> command(raw, redisFreeCommand);
  if (size < 0) throw std::bad_alloc();
  bytes_.append(command.get(), static_cast<std::size_t>(size));
  ++size_;
  return *this;
}

}  // namespace bloomery::redis
