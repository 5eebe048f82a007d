#include "module/bloom_load.h"

#include <memory>
#include <new>
#include <string>

#include "bloomery/errors.h"
#include "module/half_load.h"
#include "module/native_filter.h"
#include "module/upload.h"
#include "module/window_clock.h"

namespace bloomery::module {
namespace {

// An upload that nobody goes on with ends by itself.
constexpr std::uint64_t kUploadLivesMs = 60 * 60 * 1000;

ServerString upload_name(const Call& call) {
  const auto name = upload_key(call.word(1), call.is_in_cluster());
  if (!name) {
    throw Refusal(
        "ERR in a cluster a filter is not loaded to a key like this, whose name has a "
        "brace that is no hash tag");
  }
  return call.make_string(*name);
}

Upload& upload_to(const OpenKey& shadow, std::string_view target) {
  auto* const upload = shadow.get<Upload>();
  if (upload == nullptr || upload->target != target) {
    throw Refusal("ERR no load of this key has begun; BLOOM.LOAD key BEGIN bytes begins one");
  }
  return *upload;
}

std::uint64_t number_of(const Call& call, std::size_t word, const char* name) {
  const auto number = parse_integer(call.word(word));
  if (!number || *number < 0) {
    throw Refusal(std::string("ERR ") + name + " must be a whole number from 0");
  }
  return static_cast<std::uint64_t>(*number);
}

std::span<const std::byte> bytes_of(const Call& call, std::size_t word) {
  const std::string_view text = call.word(word);
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

// The reasons of the reader, as an error of this command.
template <class Do>
void with_reasons(Do act) {
  try {
    act();
  } catch (const std::bad_alloc&) {
    throw Refusal("ERR Insufficient memory to create filter");
  } catch (const FormatError& error) {
    throw Refusal(std::string("ERR ") + error.what());
  } catch (const std::invalid_argument& error) {
    throw Refusal(std::string("ERR ") + error.what());
  }
}

// A lost one is loaded anew so.
void require_filter_or_none(const OpenKey& key) {
  if (key.get<LostFilter>() == nullptr) key.get_or_none<StoredFilter>();
}

// Throws Refusal; no piece may follow then.
void take(const Call& call, Upload& upload, std::span<const std::byte> data) {
  with_reasons([&] {
    upload.take(data);
    const NativeReader& reader = upload.reader;
    if (reader.header() && reader.header()->contents.capacity() > call.limits().most_capacity) {
      throw FormatError("a filter for more keys than bf-max-capacity, " +
                        std::to_string(call.limits().most_capacity));
    }
  });
}

void require_all_bytes(const NativeReader& reader) {
  if (reader.taken() == reader.byte_count()) return;
  throw Refusal("ERR " + std::to_string(reader.byte_count() - reader.taken()) +
                " bytes are missing; the next is " + std::to_string(reader.taken()));
}

// Throws Refusal; the reader is of no use then.
std::unique_ptr<NativeFilter> filter_of(NativeReader& reader) {
  std::unique_ptr<NativeFilter> filter;
  with_reasons([&] {
    const FileNotes notes = reader.header()->notes;
    filter = std::make_unique<NativeFilter>(reader.finish(window_now), notes);
  });
  return filter;
}

[[noreturn]] void refuse_byte(const NativeReader& reader) {
  throw Refusal("ERR the next byte is " + std::to_string(reader.taken()));
}

void begin(Call& call) {
  const std::uint64_t byte_count = number_of(call, 3, "the length");
  require_filter_or_none(call.open(kRead));
  const auto name = upload_name(call);
  OpenKey shadow = call.open(name, kRead | kWrite);
  shadow.get_or_none<Upload>();
  with_reasons([&] {
    require_room(byte_count);
    shadow.store(std::make_unique<Upload>(call.word(1), byte_count));
  });
  shadow.expire_after(kUploadLivesMs);
  call.replicate();
  call.reply_ok();
}

void at(Call& call) {
  const std::uint64_t offset = number_of(call, 3, "the offset");
  const auto data = bytes_of(call, 4);
  const auto name = upload_name(call);
  OpenKey shadow = call.open(name, kRead | kWrite);
  Upload& upload = upload_to(shadow, call.word(1));
  NativeReader& reader = upload.reader;
  if (offset != reader.taken()) refuse_byte(reader);
  try {
    take(call, upload, data);
  } catch (const Refusal&) {
    // Bytes that are wrong do not become right.
    shadow.remove();
    call.replicate_abort();
    throw;
  }
  shadow.expire_after(kUploadLivesMs);
  call.replicate();
  call.reply_number(reader.taken());
}

void commit(Call& call, OpenKey& key) {
  const auto name = upload_name(call);
  OpenKey shadow = call.open(name, kRead | kWrite);
  NativeReader& reader = upload_to(shadow, call.word(1)).reader;
  require_all_bytes(reader);
  try {
    key.store(filter_of(reader));
  } catch (const Refusal&) {
    shadow.remove();
    call.replicate_abort();
    throw;
  }
  shadow.remove();
  call.replicate();
  call.changed("bloom.load");
}

// A replica that cannot follow has no filter then, rather than the old one.
void commit(Call& call) {
  OpenKey key = call.open(kRead | kWrite);
  require_filter_or_none(key);
  if (key.get<LostFilter>() != nullptr) {
    commit(call, key);  // what was lost is there again
  } else {
    follow_or_lose(call, key, [&] { commit(call, key); });
  }
  call.reply_ok();
}

void abort_load(Call& call) {
  const auto name = upload_name(call);
  OpenKey shadow = call.open(name, kRead | kWrite);
  const auto* const upload = shadow.get<Upload>();
  if (upload != nullptr && upload->target == call.word(1)) {
    shadow.remove();
    call.replicate();
  }
  call.reply_ok();
}

// A load in the key itself, whatever else there is: so append-only files have loads, and filters.
void put(Call& call, OpenKey& key) {
  const std::string_view target = call.word(3);
  const std::uint64_t byte_count = number_of(call, 4, "the length");
  const std::uint64_t offset = number_of(call, 5, "the offset");
  const auto data = bytes_of(call, 6);
  if (offset == 0) {
    if (!key.is_empty()) throw Refusal("ERR item exists");
    with_reasons([&] {
      auto upload = std::make_unique<Upload>(target, byte_count);
      take(call, *upload, data);
      key.store(std::move(upload));
    });
  } else {
    auto& upload = key.existing<Upload>();
    NativeReader& reader = upload.reader;
    if (target != upload.target || byte_count != reader.byte_count()) {
      throw Refusal("ERR another load is there");
    }
    if (offset != reader.taken()) refuse_byte(reader);
    try {
      take(call, upload, data);
    } catch (const Refusal&) {
      key.remove();
      call.replicate_delete();
      throw;
    }
  }
  call.replicate();
}
void put(Call& call) {
  OpenKey key = call.open(kRead | kWrite);
  follow_or_lose(call, key, [&] { put(call, key); });
  call.reply_ok();
}

// And then it is the filter.
void turn(Call& call, OpenKey& key) {
  NativeReader& reader = key.existing<Upload>().reader;
  require_all_bytes(reader);
  try {
    key.store(filter_of(reader));
  } catch (const Refusal&) {
    key.remove();
    call.replicate_delete();
    throw;
  }
  call.replicate();
  call.changed("bloom.load");
}
void turn(Call& call) {
  OpenKey key = call.open(kRead | kWrite);
  follow_or_lose(call, key, [&] { turn(call, key); });
  call.reply_ok();
}

void empty(Call& call) {
  OpenKey key = call.open(kRead | kWrite);
  if (key.get_or_none<StoredFilter>() != nullptr) throw Refusal("ERR item exists");
  follow_or_lose(call, key, [&] {
    with_reasons([&] {
      auto filter = NativeFilter::of_head(bytes_of(call, 3));
      if (filter->parameters().capacity > call.limits().most_capacity) {
        throw FormatError("a filter for more keys than bf-max-capacity");
      }
      key.store(std::move(filter));
    });
    call.replicate();
    call.changed("bloom.reserve");
  });
  call.reply_ok();
}

struct Step {
  const char* name;
  std::size_t size;  // in words, with the command, the key and the step's name
  void (*run)(Call& call);
};
constexpr Step kSteps[] = {
    {"begin", 4, begin},      {"at", 5, at},           {"commit", 3, commit},
    {"abort", 3, abort_load}, {"empty", 4, empty},     {"put", 7, put},
    {"turn", 3, turn},        {"half", 6, half_begin}, {"fill", 5, half_fill},
    {"came", 5, half_came},   {"lost", 4, half_lost},
};

}  // namespace

void bloom_load(Call& call) {
  for (const Step& step : kSteps) {
    if (!same_word(call.word(2), step.name)) continue;
    if (call.size() != step.size) throw WrongArity();
    return step.run(call);
  }
  throw Refusal(
      "ERR BLOOM.LOAD key is followed by BEGIN bytes, AT offset data, COMMIT, ABORT or "
      "EMPTY head");
}

}  // namespace bloomery::module
