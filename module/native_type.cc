// SPDX-License-Identifier: Apache-2.0
#include "module/native_type.h"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/errors.h"
#include "bloomery/format/native/write_native.h"
#include "module/server_memory.h"
#include "module/stored_filter.h"
#include "module/type_parts.h"
#include "module/upload.h"
#include "module/window_clock.h"

// A StoredFilter of our own kinds is stored as a whole native file, an Upload as the bytes received
// so far; both in pieces of 4 MiB.
namespace bloomery::module {
namespace {

constexpr int kFilterVersion = 1;
constexpr int kUploadVersion = 2;  // 1 had nothing beside the bytes
constexpr const char* kNativeName = "bloomeryF";
constexpr const char* kUploadName = "bloomeryU";

std::string load_command() {
  return the_module().names.command("BLOOM.LOAD");
}

// Pieces to `taker`, until its reader has so many bytes.
void load_pieces(Io* io, std::uint64_t byte_count, const NativeReader& reader, auto& taker) {
  while (reader.taken() < byte_count) {
    const std::string piece = load_string(io);
    if (piece.empty()) throw FormatError("a bloomery filter with an empty piece");
    taker.take(std::as_bytes(std::span<const char>(piece)));
  }
}

void require_version(int version, int newest) {
  if (version >= 1 && version <= newest) return;
  throw FormatError("a bloomery filter of version " + std::to_string(version) +
                    ", and this module reads up to " + std::to_string(newest));
}

// `is_saving`: values go into a file of all keys, or to a replica. Otherwise one is dumped, to be
// moved.
bool is_saving = false;

// A server's own files, and those of its primary, follow all that happened; what RESTORE brings was
// elsewhere.
bool is_of_a_file(Io* io) noexcept {
  Context* const context = api().context_of(io);
  return context != nullptr && (api().context_flags(context) & (kLoading | kLoadingBeside)) != 0;
}

bool is_of_a_primary(Io* io) noexcept {
  return (api().context_flags(api().context_of(io)) & kReplica) != 0;
}

// Reads what stands behind the bytes since version 2: who loads, how long the load lives, whether
// it moved, why it cannot end, and the items that were added meanwhile.
void load_meanwhile(Io* io, Upload& upload) {
  upload.id = load_string(io);
  upload.lives_ms = load_number(io);
  upload.take_past(load_number(io));
  const std::string spoilt = load_string(io);
  for (std::uint64_t left = load_number(io); left > 0; --left) {
    const std::string item = load_string(io);
    const std::uint64_t milliseconds = load_number(io);
    upload.added.note(item, milliseconds, load_number(io));
  }
  if (!spoilt.empty()) upload.added.spoil(spoilt);
}

void* load_filter(Io* io, int version) noexcept {
  return loaded(io, [&] {
    require_version(version, kFilterVersion);
    NativeReader reader(load_number(io));
    load_pieces(io, reader.byte_count(), reader, reader);
    const FileNotes notes = reader.header()->notes;
    return held(std::make_unique<StoredFilter>(reader.finish(window_now), notes));
  });
}

void* load_upload(Io* io, int version) noexcept {
  return loaded(io, [&]() -> void* {
    require_version(version, kUploadVersion);
    // The value says how long the filter is that has begun to come.
    std::optional<RespectMaxmemory> respect;
    if (!is_of_a_file(io) && !is_of_a_primary(io)) respect.emplace(api().context_of(io));
    const std::string target = load_string(io);
    auto upload = std::make_unique<Upload>(target);
    const std::uint64_t byte_count = load_number(io);
    const std::uint64_t taken = load_number(io);
    if (taken > byte_count) throw FormatError("an upload of more than all bytes");
    if (byte_count != 0) {
      upload->expect(byte_count);
      load_pieces(io, taken, *upload->reader, *upload);
    }
    if (version >= 2) load_meanwhile(io, *upload);
    if (!is_of_a_file(io)) upload->was_moved = true;
    return upload.release();
  });
}

void save_filter(Io* io, void* value) noexcept {
  const StoredFilter& filter = value_of<StoredFilter>(value);
  const FilterContents contents = filter.contents();
  const NativeHead head(contents, filter.notes());
  api().save_unsigned(io, head.layout.file_bytes);
  Pieces pieces([&](auto bytes) { save_bytes(io, bytes); });
  write_native(head, contents, [&](auto bytes) { pieces.add(bytes); });
}

void save_upload(Io* io, void* value) noexcept {
  const Upload& upload = value_of<Upload>(value);
  save_text(io, upload.target);
  api().save_unsigned(io, upload.byte_count());
  api().save_unsigned(io, upload.taken());
  if (upload.reader) {
    Pieces pieces([&](auto bytes) { save_bytes(io, bytes); });
    upload.reader->give([&](auto bytes) { pieces.add(bytes); });
  }
  save_text(io, upload.id);
  api().save_unsigned(io, upload.lives_ms);
  // If an append-only file has a RESTORE, that is all that says so.
  api().save_unsigned(io, upload.past(!is_saving));
  save_text(io, upload.added.spoilt());
  api().save_unsigned(io, upload.added.all().size());
  for (const AddedMeanwhile::Item& each : upload.added.all()) {
    save_text(io, each.text);
    api().save_unsigned(io, each.milliseconds);
    api().save_unsigned(io, each.times);
  }
}

std::string_view text_of(const String* key) noexcept {
  std::size_t size = 0;
  const char* const bytes = api().string_bytes(key, &size);
  return {bytes, size};
}

// Puts a load into the key itself: other keys, also that of a load of it, are none of its business.
class Emitter {
 public:
  Emitter(Io* aof, std::string_view key, std::string_view target, std::uint64_t byte_count)
      : aof_(aof), key_(key), target_(target), byte_count_(byte_count) {}

  void put(std::span<const std::byte> bytes) {
    api().emit_aof(aof_, command_.c_str(), "bcbllb", key_.data(), key_.size(), "PUT",
                   target_.data(), target_.size(), static_cast<long long>(byte_count_),
                   static_cast<long long>(offset_), characters(bytes), bytes.size());
    offset_ += bytes.size();
  }

 private:
  const std::string command_ = load_command();
  Io* aof_;
  std::string_view key_;
  std::string_view target_;
  std::uint64_t byte_count_;
  std::uint64_t offset_ = 0;
};

void rewrite_filter(Io* aof, String* key, void* value) noexcept {
  const std::string_view name = text_of(key);
  const StoredFilter& filter = value_of<StoredFilter>(value);
  const FilterContents contents = filter.contents();
  const NativeHead head(contents, filter.notes());
  {
    Emitter emitter(aof, name, name, head.layout.file_bytes);
    Pieces pieces([&](auto bytes) { emitter.put(bytes); });
    write_native(head, contents, [&](auto part) { pieces.add(part); });
  }
  api().emit_aof(aof, load_command().c_str(), "bc", name.data(), name.size(), "TURN");
}

void rewrite_upload(Io* aof, String* key, void* value) noexcept {
  const Upload& upload = value_of<Upload>(value);
  {
    Emitter emitter(aof, text_of(key), upload.target, upload.byte_count());
    if (upload.taken() == 0) {
      emitter.put({});
    } else {
      Pieces pieces([&](auto bytes) { emitter.put(bytes); });
      upload.reader->give([&](auto part) { pieces.add(part); });
    }
  }
  const std::string command = load_command();
  const std::string& spoilt = upload.added.spoilt();
  api().emit_aof(aof, command.c_str(), "scbllb", key, "MEANWHILE", upload.id.data(),
                 upload.id.size(), static_cast<long long>(upload.lives_ms),
                 static_cast<long long>(upload.past()), spoilt.data(), spoilt.size());
  for (const AddedMeanwhile::Item& each : upload.added.all()) {
    api().emit_aof(aof, command.c_str(), "scllb", key, "ADDED",
                   static_cast<long long>(each.milliseconds), static_cast<long long>(each.times),
                   each.text.data(), each.text.size());
  }
}

void digest_filter(Digest* of, void* value) noexcept {
  const StoredFilter& filter = value_of<StoredFilter>(value);
  const FilterContents contents = filter.contents();
  {
    Pieces pieces([&](auto bytes) { add_to_digest(of, bytes); });
    write_native(NativeHead(contents, filter.notes()), contents,
                 [&](auto bytes) { pieces.add(bytes); });
  }
  api().digest_end(of);  // only then does it count
}
void digest_upload(Digest* of, void* value) noexcept {
  const Upload& upload = value_of<Upload>(value);
  add_to_digest(of, std::as_bytes(std::span<const char>(upload.target)));
  {
    Pieces pieces([&](auto bytes) { add_to_digest(of, bytes); });
    if (upload.reader) upload.reader->give([&](auto bytes) { pieces.add(bytes); });
  }
  for (const AddedMeanwhile::Item& each : upload.added.all()) {
    const std::uint64_t numbers[3] = {each.text.size(), each.milliseconds, each.times};
    add_to_digest(of, std::as_bytes(std::span(numbers)));
    add_to_digest(of, std::as_bytes(std::span<const char>(each.text)));
  }
  api().digest_end(of);
}

std::size_t filter_bytes(const void* value) noexcept {
  const StoredFilter& filter = value_of<StoredFilter>(value);
  return filter.memory_bytes() + filter.ring_bytes();
}
std::size_t upload_bytes(const void* value) noexcept {
  return value_of<Upload>(value).memory_bytes();
}

TypeMethods native_methods() {
  TypeMethods methods = methods_of_held<StoredFilter>();
  methods.rdb_load = load_filter;
  methods.rdb_save = save_filter;
  methods.aof_rewrite = rewrite_filter;
  methods.mem_usage = filter_bytes;
  methods.digest = digest_filter;
  methods.free_effort = [](String*, const void* value) {
    return free_effort_of(filter_bytes(value));
  };
  return methods;
}

TypeMethods upload_methods() {
  TypeMethods methods;
  methods.rdb_load = load_upload;
  methods.rdb_save = save_upload;
  methods.aof_rewrite = rewrite_upload;
  methods.mem_usage = upload_bytes;
  methods.digest = digest_upload;
  methods.free = [](void* value) { delete static_cast<Upload*>(value); };
  methods.free_effort = [](String*, const void* value) {
    return free_effort_of(upload_bytes(value));
  };
  return methods;  // and not copied: there is one for a target
}

}  // namespace

Type* register_native_type(Context* context, const Names& names) {
  return register_type(context, names.type(kNativeName, "bloomeryf"), kFilterVersion,
                       native_methods());
}

Type* register_upload_type(Context* context, const Names& names) {
  return register_type(context, names.type(kUploadName, "bloomeryu"), kUploadVersion,
                       upload_methods());
}

void watch_saving(Context* context) {
  api().subscribe(context, kPersistence, [](Context*, Event, std::uint64_t what, void*) {
    is_saving = what != kSavingEnded && what != kSavingFailed;
  });
}

}  // namespace bloomery::module
