#include "module/cuckoo_type.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/format/redisbloom_cuckoo_dump.h"
#include "bloomery/format/redisbloom_cuckoo_rdb.h"
#include "module/call.h"
#include "module/rdb_writer.h"
#include "module/stored_cuckoo.h"
#include "module/type_parts.h"

namespace bloomery::module {
namespace {

const Api& api() noexcept {
  return the_module().api;
}

class RdbReader final : public redisbloom::CuckooValueReader {
 public:
  explicit RdbReader(Io* io) : io_(io) {}

  std::uint64_t number(const char* field) override {
    const std::uint64_t value = api().load_unsigned(io_);
    require_read(field);
    return value;
  }
  std::uint64_t string(const char* field) override {
    std::size_t size = 0;
    string_.reset();
    string_.reset(api().load_bytes(io_, &size));
    require_read(field);
    if (string_ == nullptr) size = 0;
    return size;
  }
  void copy(std::span<std::byte> to) override {
    std::copy_n(reinterpret_cast<const std::byte*>(string_.get()), to.size(), to.begin());
    string_.reset();
  }
  std::string place() const override { return {}; }

 private:
  struct Free {
    void operator()(char* bytes) const noexcept { api().free(bytes); }
  };

  void require_read(const char* field) const {
    if (api().is_io_error(io_) != 0) {
      throw FormatError(std::string("not a cuckoo filter of RedisBloom: no ") + field);
    }
  }

  Io* io_;
  std::unique_ptr<char, Free> string_;
};

const redisbloom::CuckooFilter& filter_of(const void* value) noexcept {
  return static_cast<const StoredCuckoo*>(value)->filter();
}

void* load(Io* io, int version) noexcept {
  return loaded(api(), io, [&] {
    RdbReader reader(io);
    return std::make_unique<StoredCuckoo>(
               redisbloom::read_cuckoo_value(reader, static_cast<std::uint32_t>(version)))
        .release();
  });
}

void save(Io* io, void* value) noexcept {
  RdbWriter writer(api(), io);
  redisbloom::write_cuckoo_value(filter_of(value), writer);
}

void rewrite(Io* aof, String* key, void* value) noexcept {
  const redisbloom::CuckooFilter& filter = filter_of(value);
  const std::string command = the_module().names.command("CF.LOADCHUNK");
  const auto emit = [&](std::uint64_t position, std::span<const std::byte> bytes) {
    api().emit_aof(aof, command.c_str(), "slb", key, static_cast<long long>(position),
                   characters(bytes), bytes.size());
  };
  emit(1, redisbloom::encode_cuckoo_header(filter.shape()));
  for (std::uint64_t position = 1;;) {
    const redisbloom::CuckooChunk chunk = redisbloom::cuckoo_chunk(filter, position);
    if (chunk.next == 0) return;
    emit(chunk.next, chunk.slots);
    position = chunk.next;
  }
}

std::size_t memory_use(const void* value) noexcept {
  return redisbloom::memory_bytes(filter_of(value).shape());
}

void digest(Digest* of, void* value) noexcept {
  const redisbloom::CuckooFilter& filter = filter_of(value);
  const auto add = [&](std::span<const std::byte> bytes) {
    api().digest_bytes(of, characters(bytes), bytes.size());
  };
  add(redisbloom::encode_cuckoo_header(filter.shape()));
  for (std::size_t i = 0; i < filter.shape().sub_filters; ++i) add(filter.slots(i));
  api().digest_end(of);
}

void free_value(void* value) noexcept {
  delete static_cast<StoredCuckoo*>(value);
}

std::size_t free_effort(String*, const void* value) noexcept {
  return filter_of(value).shape().sub_filters + free_effort_of(memory_use(value));
}

void* copy(String*, String*, const void* value) noexcept {
  try {
    return static_cast<const StoredCuckoo*>(value)->clone().release();
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

Type* register_cuckoo_type(Context* context, const Names& names) {
  TypeMethods methods;
  methods.rdb_load = load;
  methods.rdb_save = save;
  methods.aof_rewrite = rewrite;
  methods.mem_usage = memory_use;
  methods.digest = digest;
  methods.free = free_value;
  methods.free_effort = free_effort;
  methods.copy = copy;
  return api().create_data_type(context, names.type(redisbloom::kCuckooTypeName, "bloomeryc"),
                                static_cast<int>(redisbloom::kCuckooEncodingVersion), &methods);
}

}  // namespace bloomery::module
