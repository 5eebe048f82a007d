// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/c/bloomery.h"
#include "bloomery/filter/batch.h"
#include "bloomery/text/key_form.h"

// Readers of the keys that callers give: they yield the bytes that a filter of a form knows.
namespace bloomery::c {

// One key. `room` holds its bytes where they are made here. All throw WrongKeys (failures.h),
// and std::invalid_argument for what spells no key.
Key key_of_text(const KeyForm& form, const void* text, std::size_t size, std::string& room);
Key key_of_raw(const KeyForm& form, const void* bytes, std::size_t size);
// The form of a filter that takes these raw bytes first: unknown where they may be an integer's.
KeyForm usual_form_of_raw(const void* bytes, std::size_t size);
Key key_of_i64(const KeyForm& form, const std::int64_t& integer, std::string& room);
Key key_of_u64(const KeyForm& form, const std::uint64_t& integer, std::string& room);

// Returns whether keys of the form may be there in other bytes than those they are asked for first.
constexpr bool has_seconds(const KeyForm& form) noexcept {
  return !form.is_known() ||
         (form.encoding == KeyEncoding::text && has(form.normalise, Normalise::url));
}
// The other bytes of a text: in a filter of unknown form the integer that it spells, of URLs the
// other spelling of letters beyond ASCII. Nothing where there are none.
std::optional<Key> second_key(const KeyForm& form, const char* text, std::size_t size,
                              std::string& room);
// Returns whether a text may be there in a spelling that is not known here: a URL whose host has
// letters beyond ASCII.
bool is_spelt_elsewhere(const KeyForm& form, const char* text, std::size_t size);
// Throws std::invalid_argument for such a text: who asks for its other spelling would be told
// "absent".
void require_one_spelling(const KeyForm& form, const char* text, std::size_t size);

// Many, a piece at a time.
class KeyReader {
 public:
  // Checks every size and offset. The form is unknown until set_form().
  explicit KeyReader(const bloomery_keys& keys);
  // Throws WrongKeys where the form already says that these are none of its keys.
  void set_form(const KeyForm& form);

  std::size_t count() const noexcept { return keys_.count; }
  // Valid until the next.
  UnhashedBatch read(std::size_t first, std::size_t count);
  // Returns the other bytes of key i: second_key() of a text, the digits of an integer, nothing of
  // raw bytes.
  std::optional<Key> second(std::size_t i, std::string& room) const;
  // is_spelt_elsewhere() of key i.
  bool is_spelt_elsewhere(std::size_t i) const;
  // Throws as read() would for any of them, and as require_one_spelling() does.
  void check_all();

  // usual_form_to_ask: the form of the keys where nobody says any. usual_form_to_insert: the same,
  // but of raw bytes unknown if one may be the eight bytes of an integer; looks at all of them.
  KeyForm usual_form_to_ask() const noexcept;
  KeyForm usual_form_to_insert() const;

 private:
  bool is_integers() const noexcept {
    return keys_.layout == BLOOMERY_I64 || keys_.layout == BLOOMERY_U64;
  }
  Key text(std::size_t i) const;
  template <class Offset>
  void view_between(std::size_t first);
  UnhashedBatch read_integers(std::size_t first, std::size_t count);

  bloomery_keys keys_;
  KeyForm form_ = kUnknownForm;
  std::vector<Key> views_;
  std::vector<std::uint64_t> integers_;
  std::vector<std::string> made_;
};

}  // namespace bloomery::c
