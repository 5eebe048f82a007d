// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/key_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "bindings/c/failures.h"
#include "bloomery/filter/key_watch.h"
#include "bloomery/source/key_encoding.h"
#include "bloomery/text/canonical_url.h"
#include "bloomery/text/printable.h"

namespace bloomery::c {
namespace {

constexpr std::uint64_t kMostI64 = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kPieceToCheck = 4096;

template <class T>
T load_at(const void* array, std::size_t i) noexcept {
  T value;
  std::memcpy(&value, static_cast<const char*>(array) + i * sizeof value, sizeof value);
  return value;
}

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("keys: " + why);
}

[[noreturn]] void refuse_wrong(const KeyForm& form, const std::string& given) {
  throw WrongKeys("the filter's keys are " + form_text(form) + ", and " + given +
                  " are other keys, which it would call absent");
}

void require_integers(const KeyForm& form) {
  if (form.is_known() && !reads_integers(form.encoding)) refuse_wrong(form, "integers");
}
void require_raw(const KeyForm& form) {
  const bool is_bytes = form.encoding == KeyEncoding::text || form.encoding == KeyEncoding::hex ||
                        form.encoding == KeyEncoding::base64 || !form.is_known();
  if (!is_bytes || form.normalise != Normalise::none) refuse_wrong(form, "raw bytes");
}

bool is_eight_bytes(const KeyForm& form) noexcept {
  return form.encoding == KeyEncoding::i64 || form.encoding == KeyEncoding::u64 || !form.is_known();
}
void require_fits(const KeyForm& form, bool is_signed, std::uint64_t integer) {
  const bool other =
      is_signed ? form.encoding == KeyEncoding::u64 : form.encoding == KeyEncoding::i64;
  if (!other || integer <= kMostI64) return;
  refuse(
      (is_signed ? std::to_string(static_cast<std::int64_t>(integer)) : std::to_string(integer)) +
      (is_signed ? " is below 0, and the filter's keys are u64"
                 : " is above 9223372036854775807, and the filter's keys are i64"));
}

// Spells an integer by its digits, of forms that are not the eight bytes themselves.
void spell(const KeyForm& form, bool is_signed, std::uint64_t integer, std::string& room) {
  const std::string digits =
      is_signed ? std::to_string(static_cast<std::int64_t>(integer)) : std::to_string(integer);
  room = decode_key(form.encoding, digits);
}

Key key_of_integer(const KeyForm& form, bool is_signed, const std::uint64_t& integer,
                   std::string& room) {
  require_integers(form);
  if (is_eight_bytes(form)) {
    require_fits(form, is_signed, integer);
    return as_key(integer);
  }
  spell(form, is_signed, integer, room);
  return room;
}

Key view_of(const void* bytes, std::size_t size) {
  if (size > std::size_t{std::numeric_limits<std::ptrdiff_t>::max()}) {
    refuse("no key has " + std::to_string(size) + " bytes");
  }
  if (bytes == nullptr && size != 0) refuse("a null pointer to " + std::to_string(size) + " bytes");
  return {static_cast<const char*>(bytes), size};
}

// Throws unless `count` things of `size` bytes lie within `room`.
void require_room(std::size_t count, std::size_t size, std::size_t room, const char* what) {
  if (size == 0 || count <= room / size) return;
  refuse(std::to_string(count) + " " + what + " of " + std::to_string(size) +
         " bytes are more than data_size, " + std::to_string(room));
}

[[noreturn]] void refuse_offset(std::size_t i, std::int64_t next, std::int64_t before) {
  refuse("offset " + std::to_string(i) + " is " + std::to_string(next) +
         ", less than the one before, " + std::to_string(before));
}

template <class Offset>
void check_offsets(const bloomery_keys& keys) {
  Offset before = load_at<Offset>(keys.offsets, 0);
  if (before < 0) refuse("offset 0 is " + std::to_string(before));
  for (std::size_t i = 1; i <= keys.count; ++i) {
    const Offset next = load_at<Offset>(keys.offsets, i);
    if (next < before) [[unlikely]]
      refuse_offset(i, next, before);
    before = next;
  }
  if (static_cast<std::uint64_t>(before) > keys.data_size) {
    refuse("the last offset is " + std::to_string(before) + ", beyond data_size, " +
           std::to_string(keys.data_size));
  }
}

void check_layout(const bloomery_keys& keys) {
  if (keys.data == nullptr && keys.data_size != 0) refuse("data is a null pointer");
  const bool needs_offsets = keys.layout == BLOOMERY_OFFSETS32 ||
                             keys.layout == BLOOMERY_OFFSETS64 || keys.layout == BLOOMERY_POINTERS;
  if (needs_offsets && keys.offsets == nullptr && keys.count != 0) {
    refuse("offsets is a null pointer");
  }
  switch (keys.layout) {
    case BLOOMERY_OFFSETS32:
      if (keys.count != 0) check_offsets<std::int32_t>(keys);
      return;
    case BLOOMERY_OFFSETS64:
      if (keys.count != 0) check_offsets<std::int64_t>(keys);
      return;
    case BLOOMERY_FIXED:
    case BLOOMERY_PADDED:
      return require_room(keys.count, keys.width, keys.data_size, "keys");
    case BLOOMERY_POINTERS:
      return require_room(keys.count, sizeof(void*), keys.data_size, "pointers");
    case BLOOMERY_I64:
    case BLOOMERY_U64:
      return require_room(keys.count, sizeof(std::uint64_t), keys.data_size, "integers");
    default:
      refuse("no layout has number " + std::to_string(keys.layout));
  }
}

}  // namespace

Key key_of_text(const KeyForm& form, const void* text, std::size_t size, std::string& room) {
  const Key key = view_of(text, size);
  if (form == KeyForm{}) [[likely]]
    return key;
  room = decode_key(form, key);
  return room;
}

Key key_of_raw(const KeyForm& form, const void* bytes, std::size_t size) {
  require_raw(form);
  return view_of(bytes, size);
}

KeyForm usual_form_of_raw(const void* bytes, std::size_t size) {
  return is_key_of({}, view_of(bytes, size)) ? KeyForm{} : kUnknownForm;
}

Key key_of_i64(const KeyForm& form, const std::int64_t& integer, std::string& room) {
  return key_of_integer(form, true, reinterpret_cast<const std::uint64_t&>(integer), room);
}

Key key_of_u64(const KeyForm& form, const std::uint64_t& integer, std::string& room) {
  return key_of_integer(form, false, integer, room);
}

std::optional<Key> second_key(const KeyForm& form, const char* text, std::size_t size,
                              std::string& room) {
  const Key key = size == 0 ? Key() : Key(text, size);
  if (form.is_known()) {
    std::optional<std::string> other = other_spelling(decode_key(form, key));
    if (!other) return std::nullopt;
    return room = *std::move(other);
  }
  const auto integer = integer_spelt(key);
  if (!integer) return std::nullopt;
  return room = as_key(*integer);
}

bool is_spelt_elsewhere(const KeyForm& form, const char* text, std::size_t size) {
  if (!form.is_known() || !has_seconds(form)) return false;
  return has_international_host(decode_key(form, size == 0 ? Key() : Key(text, size)));
}

void require_one_spelling(const KeyForm& form, const char* text, std::size_t size) {
  if (!is_spelt_elsewhere(form, text, size)) return;
  refuse(printable(Key(text, size)) +
         " has a host with letters beyond ASCII: write it as the DNS does, with xn--");
}

KeyReader::KeyReader(const bloomery_keys& keys) : keys_(keys) {
  check_layout(keys);
}

void KeyReader::set_form(const KeyForm& form) {
  if (is_integers()) {
    require_integers(form);
  } else if (keys_.raw != 0) {
    require_raw(form);
  }
  form_ = form;
}

KeyForm KeyReader::usual_form_to_ask() const noexcept {
  if (keys_.layout == BLOOMERY_I64) return {.encoding = KeyEncoding::i64};
  if (keys_.layout == BLOOMERY_U64) return {.encoding = KeyEncoding::u64};
  return {};
}

KeyForm KeyReader::usual_form_to_insert() const {
  if (keys_.raw != 0 && !is_integers()) {
    for (std::size_t i = 0; i < keys_.count; ++i) {
      if (!is_key_of({}, text(i))) return kUnknownForm;
    }
  }
  return usual_form_to_ask();
}

Key KeyReader::text(std::size_t i) const {
  const char* const data = static_cast<const char*>(keys_.data);
  const auto between = [&](auto begin, auto end) {
    return Key(data + begin, static_cast<std::size_t>(end - begin));
  };
  switch (keys_.layout) {
    case BLOOMERY_OFFSETS32:
      return between(load_at<std::int32_t>(keys_.offsets, i),
                     load_at<std::int32_t>(keys_.offsets, i + 1));
    case BLOOMERY_OFFSETS64:
      return between(load_at<std::int64_t>(keys_.offsets, i),
                     load_at<std::int64_t>(keys_.offsets, i + 1));
    case BLOOMERY_POINTERS:
      return view_of(load_at<const void*>(keys_.data, i), load_at<std::size_t>(keys_.offsets, i));
    default:
      break;
  }
  Key key = keys_.width == 0 ? Key() : Key(data + i * keys_.width, keys_.width);
  if (keys_.layout == BLOOMERY_PADDED) {
    const std::size_t last = key.find_last_not_of('\0');
    key = key.substr(0, last == Key::npos ? 0 : last + 1);
  }
  return key;
}

// Views each key as text() does, without asking for each what the layout is.
template <class Offset>
void KeyReader::view_between(std::size_t first) {
  const char* const data = static_cast<const char*>(keys_.data);
  Offset begin = load_at<Offset>(keys_.offsets, first);
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const Offset end = load_at<Offset>(keys_.offsets, first + i + 1);
    views_[i] = Key(data + begin, static_cast<std::size_t>(end - begin));
    begin = end;
  }
}

UnhashedBatch KeyReader::read_integers(std::size_t first, std::size_t count) {
  const char* const data = static_cast<const char*>(keys_.data) + first * sizeof(std::uint64_t);
  const bool is_signed = keys_.layout == BLOOMERY_I64;
  std::span<const std::uint64_t> integers;
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(std::uint64_t) == 0) {
    integers = {reinterpret_cast<const std::uint64_t*>(data), count};
  } else {
    integers_.resize(count);
    std::memcpy(integers_.data(), data, count * sizeof(std::uint64_t));
    integers = integers_;
  }
  if (is_eight_bytes(form_)) {
    const bool is_same = form_ == usual_form_to_ask();
    if (!is_same) {
      for (const std::uint64_t each : integers) require_fits(form_, is_signed, each);
    }
    return integers;
  }
  views_.clear();
  made_.resize(std::max(made_.size(), count));
  for (std::size_t i = 0; i < count; ++i) {
    spell(form_, is_signed, integers[i], made_[i]);
    views_.push_back(made_[i]);
  }
  return views_;
}

UnhashedBatch KeyReader::read(std::size_t first, std::size_t count) {
  if (is_integers()) return read_integers(first, count);
  views_.resize(count);
  if (form_ == KeyForm{} || keys_.raw != 0) {
    if (keys_.layout == BLOOMERY_OFFSETS32) {
      view_between<std::int32_t>(first);
    } else if (keys_.layout == BLOOMERY_OFFSETS64) {
      view_between<std::int64_t>(first);
    } else {
      for (std::size_t i = 0; i < count; ++i) views_[i] = text(first + i);
    }
    return views_;
  }
  made_.resize(std::max(made_.size(), count));
  for (std::size_t i = 0; i < count; ++i) {
    made_[i] = decode_key(form_, text(first + i));
    views_[i] = made_[i];
  }
  return views_;
}

std::optional<Key> KeyReader::second(std::size_t i, std::string& room) const {
  if (keys_.raw != 0) return std::nullopt;
  if (!is_integers()) {
    const Key key = text(i);
    return second_key(form_, key.data(), key.size(), room);
  }
  return room = keys_.layout == BLOOMERY_I64
                    ? std::to_string(load_at<std::int64_t>(keys_.data, i))
                    : std::to_string(load_at<std::uint64_t>(keys_.data, i));
}

bool KeyReader::is_spelt_elsewhere(std::size_t i) const {
  if (keys_.raw != 0 || is_integers()) return false;
  const Key key = text(i);
  return c::is_spelt_elsewhere(form_, key.data(), key.size());
}

void KeyReader::check_all() {
  const bool is_plain = form_ == KeyForm{} || keys_.raw != 0 || form_ == usual_form_to_ask();
  if (is_plain && keys_.layout != BLOOMERY_POINTERS) return;
  for (std::size_t first = 0; first < keys_.count; first += kPieceToCheck) {
    read(first, std::min(kPieceToCheck, keys_.count - first));
  }
  if (!form_.is_known() || !has_seconds(form_)) return;
  for (std::size_t i = 0; i < keys_.count; ++i) {
    const Key key = text(i);
    require_one_spelling(form_, key.data(), key.size());
  }
}

}  // namespace bloomery::c
