// SPDX-License-Identifier: Apache-2.0
#include "module/bloom_load.h"

#include <memory>
#include <new>
#include <optional>
#include <string>

#include "bloomery/errors.h"
#include "module/half_load.h"
#include "module/slot.h"
#include "module/stored_filter.h"
#include "module/upload.h"
#include "module/window_clock.h"

namespace bloomery::module {
namespace {

constexpr std::uint64_t kLongestLifeMs = std::uint64_t{30} * 24 * 60 * 60 * 1000;
constexpr std::size_t kLongestId = 256;

ServerString upload_name(const Call& call) {
  const auto name = upload_key(call.word(1), call.is_in_cluster());
  if (!name) {
    throw Refusal(
        "ERR in a cluster a filter is not loaded to a key like this, whose name has a "
        "brace that is no hash tag");
  }
  return call.make_string(*name);
}

// Returns the ID of the client that loads, from the two words behind the step's own; empty if it
// gave none.
std::string_view id_of(const Call& call, std::size_t word) {
  if (call.size() == word) return {};
  if (call.size() != word + 2 || !same_word(call.word(word), "id")) throw WrongArity();
  return call.word(word + 1);
}

// The upload of this load. One that somebody else began since has not seen all items that were
// added.
Upload& upload_to(const OpenKey& shadow, std::string_view target, std::string_view id) {
  auto* const upload = shadow.get<Upload>();
  if (upload == nullptr || upload->target != target) {
    throw Refusal("ERR no load of this key has begun; BLOOM.LOAD key BEGIN bytes begins one");
  }
  if (upload->id != id)
    throw Refusal("ERR another load of this key has begun, with an ID of its own");
  return *upload;
}

NativeReader& reader_of(Upload& upload) {
  if (!upload.reader) throw Refusal("ERR BLOOM.LOAD key BYTES bytes has not said how long it is");
  return *upload.reader;
}

std::uint64_t number_of(const Call& call, std::size_t word, const char* name) {
  const auto number = parse_integer(call.word(word));
  if (!number || *number < 0) {
    throw Refusal(std::string("ERR ") + name + " must be a whole number from 0");
  }
  return static_cast<std::uint64_t>(*number);
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
    const NativeReader& reader = *upload.reader;
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

// The uploaded filter, with all that was added meanwhile. Throws Refusal; the upload is of no use
// then.
std::unique_ptr<StoredFilter> filter_of(Upload& upload) {
  if (!upload.added.spoilt().empty()) {
    throw Refusal("ERR this load cannot end: " + upload.added.spoilt() + "; begin again");
  }
  std::unique_ptr<StoredFilter> filter;
  with_reasons([&] {
    NativeReader& reader = *upload.reader;
    const FileNotes notes = reader.header()->notes;
    filter = std::make_unique<StoredFilter>(reader.finish(window_now), notes);
    filter->take_over(upload.added);
  });
  return filter;
}

[[noreturn]] void refuse_byte(const NativeReader& reader) {
  throw Refusal("ERR the next byte is " + std::to_string(reader.taken()));
}

void expect(Upload& upload, std::uint64_t byte_count) {
  with_reasons([&] {
    require_room(byte_count);
    upload.expect(byte_count);
  });
}

// BEGIN [bytes] [ID id] [EX seconds]
void begin(Call& call) {
  std::size_t word = 3;
  std::optional<std::uint64_t> byte_count;
  if (word < call.size() && !same_word(call.word(word), "id") &&
      !same_word(call.word(word), "ex")) {
    byte_count = number_of(call, word++, "the length");
  }
  auto upload = std::make_unique<Upload>(call.word(1));
  for (; word < call.size(); word += 2) {
    if (word + 1 == call.size()) throw WrongArity();
    if (same_word(call.word(word), "id")) {
      upload->id = call.word(word + 1);
      if (upload->id.empty() || upload->id.size() > kLongestId) {
        throw Refusal("ERR an ID has 1 to 256 bytes");
      }
    } else if (same_word(call.word(word), "ex")) {
      const std::uint64_t seconds = number_of(call, word + 1, "the seconds");
      if (seconds == 0 || seconds > kLongestLifeMs / 1000) {
        throw Refusal("ERR a load lives 1 second to 30 days behind its last step");
      }
      upload->lives_ms = 1000 * seconds;
    } else {
      throw Refusal("ERR BLOOM.LOAD key BEGIN is followed by bytes, ID id and EX seconds");
    }
  }
  require_filter_or_none(call.open(kRead));
  upload->had_filter = call.open(kRead).get<StoredFilter>() != nullptr;
  const auto name = upload_name(call);
  OpenKey shadow = call.open(name, kRead | kWrite);
  const auto* const other = shadow.get_or_none<Upload>();
  // Two keys, such as q and {q}, may have one name for their uploads.
  if (other != nullptr && other->target != upload->target && !call.is_replay()) {
    throw Refusal("ERR a load of another key is under way where the bytes of this one would stand");
  }
  // Without an ID, the client that began the other load would go on with this one, and not know
  // what was added between.
  if (other != nullptr && upload->id.empty() && !call.is_replay()) {
    throw Refusal("ERR a load of this key is under way; ABORT ends it, or give this one an ID");
  }
  if (byte_count) expect(*upload, *byte_count);
  if (other != nullptr && other->target == upload->target) upload->take_over(*other);
  const std::uint64_t lives_ms = upload->lives_ms;
  with_reasons([&] { shadow.store(std::move(upload)); });
  shadow.expire_after(lives_ms);
  call.replicate();
  call.reply_ok();
}

// BYTES n [ID id]
void bytes(Call& call) {
  const std::uint64_t byte_count = number_of(call, 3, "the length");
  const auto name = upload_name(call);
  OpenKey shadow = call.open(name, kRead | kWrite);
  Upload& upload = upload_to(shadow, call.word(1), id_of(call, 4));
  if (upload.taken() != 0) throw Refusal("ERR bytes of this load have come already");
  expect(upload, byte_count);
  shadow.expire_after(upload.lives_ms);
  call.replicate();
  call.reply_ok();
}

// AT offset data [ID id]
void at(Call& call) {
  const std::uint64_t offset = number_of(call, 3, "the offset");
  const auto data = call.bytes(4);
  const auto name = upload_name(call);
  OpenKey shadow = call.open(name, kRead | kWrite);
  Upload& upload = upload_to(shadow, call.word(1), id_of(call, 5));
  NativeReader& reader = reader_of(upload);
  if (offset != reader.taken()) refuse_byte(reader);
  if (call.open(kRead).get<StoredFilter>() != nullptr) upload.had_filter = true;
  try {
    take(call, upload, data);
  } catch (const Refusal&) {
    // Bytes that are wrong do not become right.
    shadow.remove();
    call.replicate_abort();
    throw;
  }
  shadow.expire_after(upload.lives_ms);
  call.replicate();
  call.reply_number(reader.taken());
}

void commit(Call& call, Slot& slot) {
  const auto name = upload_name(call);
  OpenKey shadow = call.open(name, kRead | kWrite);
  Upload& upload = upload_to(shadow, call.word(1), id_of(call, 3));
  require_all_bytes(reader_of(upload));
  // A filter may have been there and have expired with what it took.
  const bool has_filter = upload.had_filter || slot.get<StoredFilter>() != nullptr;
  if (upload.was_moved && has_filter && !call.is_replay()) {
    throw Refusal(
        "ERR this load moved from server to server, and items may have been added where it was "
        "not; begin again");
  }
  try {
    slot.store(filter_of(upload));
  } catch (const Refusal&) {
    shadow.remove();
    call.replicate_abort();
    throw;
  }
  shadow.remove();
  call.replicate();
  call.changed("bloom.load");
}

// COMMIT [ID id]. A replica that cannot follow has no filter then, rather than the old one.
void commit(Call& call) {
  Slot slot(call, kRead | kWrite);
  require_filter_or_none(slot);
  if (slot.get<LostFilter>() != nullptr) {
    commit(call, slot);  // what was lost is there again
  } else {
    slot.follow([&] { commit(call, slot); });
  }
  call.reply_ok();
}

// ABORT [ID id]; without one, whoever began it.
void abort_load(Call& call) {
  const std::string_view id = id_of(call, 3);
  const auto name = upload_name(call);
  OpenKey shadow = call.open(name, kRead | kWrite);
  const auto* const upload = shadow.get<Upload>();
  if (upload != nullptr && upload->target == call.word(1) && (id.empty() || id == upload->id)) {
    shadow.remove();
    call.replicate();
  }
  call.reply_ok();
}

// A load in the key itself, whatever else there is: so append-only files have loads, and filters.
void put(Call& call, Slot& slot) {
  const std::string_view target = call.word(3);
  const std::uint64_t byte_count = number_of(call, 4, "the length");
  const std::uint64_t offset = number_of(call, 5, "the offset");
  const auto data = call.bytes(6);
  if (offset == 0) {
    if (!slot.is_empty()) throw Refusal("ERR item exists");
    slot.require_no_load();
    with_reasons([&] {
      auto upload = std::make_unique<Upload>(target);
      if (byte_count != 0) {
        upload->expect(byte_count);
        take(call, *upload, data);
      }
      slot.store(std::move(upload));
    });
  } else {
    auto& upload = slot.existing<Upload>();
    if (target != upload.target || !upload.reader || byte_count != upload.byte_count()) {
      throw Refusal("ERR another load is there");
    }
    const NativeReader& reader = *upload.reader;
    if (offset != reader.taken()) refuse_byte(reader);
    try {
      take(call, upload, data);
    } catch (const Refusal&) {
      slot.remove();
      call.replicate_delete();
      throw;
    }
  }
  call.replicate();
}
void put(Call& call) {
  Slot slot(call, kRead | kWrite);
  slot.follow([&] { put(call, slot); });
  call.reply_ok();
}

// MEANWHILE id lives moved spoilt: takes from a file what it says of a load beside its bytes
void meanwhile(Call& call) {
  require_replay(call);
  OpenKey key = call.open(kRead | kWrite);
  auto& upload = key.existing<Upload>();
  upload.id = call.word(3);
  upload.lives_ms = number_of(call, 4, "the milliseconds");
  upload.take_past(number_of(call, 5, "whether it moved"));
  if (!call.word(6).empty()) upload.added.spoil(std::string(call.word(6)));
  call.replicate();
  call.reply_ok();
}

// ADDED milliseconds times item: takes from a file an item that was added during a load
void added(Call& call) {
  require_replay(call);
  OpenKey key = call.open(kRead | kWrite);
  note(call, key.existing<Upload>(), call.word(5), number_of(call, 3, "the milliseconds"),
       number_of(call, 4, "how often"));
  call.replicate();
  call.reply_ok();
}

// Makes the upload the key's filter.
void turn(Call& call, Slot& slot) {
  auto& upload = slot.existing<Upload>();
  require_all_bytes(reader_of(upload));
  try {
    slot.store(filter_of(upload));
  } catch (const Refusal&) {
    slot.remove();
    call.replicate_delete();
    throw;
  }
  call.replicate();
  call.changed("bloom.load");
}
void turn(Call& call) {
  Slot slot(call, kRead | kWrite);
  slot.follow([&] { turn(call, slot); });
  call.reply_ok();
}

void empty(Call& call) {
  Slot slot(call, kRead | kWrite);
  if (!call.is_replay()) slot.require_no_items_kept();
  if (slot.get_or_none<StoredFilter>() != nullptr) throw Refusal("ERR item exists");
  slot.follow([&] {
    with_reasons([&] {
      auto filter = StoredFilter::of_head(call.bytes(3));
      if (filter->parameters().capacity > call.limits().most_capacity) {
        throw FormatError("a filter for more keys than bf-max-capacity");
      }
      slot.store(std::move(filter));
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
  std::size_t options = 0;  // words that may follow
};
constexpr Step kSteps[] = {
    {"begin", 3, begin, 5},   {"bytes", 4, bytes, 2},      {"at", 5, at, 2},
    {"commit", 3, commit, 2}, {"abort", 3, abort_load, 2}, {"empty", 4, empty},
    {"put", 7, put},          {"turn", 3, turn},           {"meanwhile", 7, meanwhile},
    {"added", 6, added},      {"half", 6, half_begin, 1},  {"fill", 5, half_fill},
    {"came", 5, half_came},   {"lost", 4, half_lost},
};

}  // namespace

void bloom_load(Call& call) {
  for (const Step& step : kSteps) {
    if (!same_word(call.word(2), step.name)) continue;
    if (call.size() < step.size || call.size() > step.size + step.options) throw WrongArity();
    return step.run(call);
  }
  throw Refusal(
      "ERR BLOOM.LOAD key is followed by BEGIN [bytes], BYTES bytes, AT offset data, COMMIT, "
      "ABORT or EMPTY head");
}

}  // namespace bloomery::module
