// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "bloomery/filter/parameters.h"
#include "bloomery/hash/key.h"
#include "bloomery/text/integer_spelt.h"
#include "bloomery/text/key_form.h"

// A filter whose file says how its keys are written is asked in that form by everybody else: a key
// that goes in otherwise would be "absent" there, and so would a key of it that is asked for
// otherwise here. So calls of the wrong sort on such a filter are looked at twice. One that says
// nothing is asked in both forms, and no call on it is.
namespace bloomery {

// Sorts of calls, as flags.
enum WatchedCalls : std::uint8_t {
  kAskTexts = 1,
  kAskIntegers = 2,
  kInsertTexts = 4,
  kInsertIntegers = 8,
};

constexpr bool is_64_bit_integer(KeyEncoding encoding) noexcept {
  return encoding == KeyEncoding::u64 || encoding == KeyEncoding::i64;
}

// Returns the calls to be looked at: none of another system's filter, which cannot say it.
constexpr std::uint8_t watched_calls(const FilterParameters& parameters) noexcept {
  const KeyEncoding encoding = parameters.keys.encoding;
  if (is_foreign(parameters.kind) || !parameters.keys.is_known()) return 0;
  if (is_64_bit_integer(encoding)) return kAskTexts | kInsertTexts;
  if (encoding == KeyEncoding::hex || encoding == KeyEncoding::base64) return 0;  // of any bytes
  const std::uint8_t integers = kAskIntegers | kInsertIntegers;
  return encoding == KeyEncoding::text ? integers | kInsertTexts : integers;
}

// Returns whether bytes may be a key of the form: eight bytes that are no text are an integer's,
// and an integer has no other number of bytes.
inline bool is_key_of(const KeyForm& form, Key key) noexcept {
  if (is_64_bit_integer(form.encoding)) return key.size() == sizeof(std::uint64_t);
  if (form.encoding != KeyEncoding::text) return true;
  return key.size() != sizeof(std::uint64_t) || may_be_text(key);
}

// Throws std::invalid_argument: such keys cannot go into a filter of that form.
[[noreturn]] inline void refuse_other_keys(const KeyForm& said, const std::string& name = {}) {
  throw std::invalid_argument(
      (name.empty() ? std::string("the filter says") : name + " says") + " that its keys are " +
      form_text(said) + ", and this is none: " +
      (said.encoding == KeyEncoding::text ? "the eight bytes of an integer" : form_bytes(said)) +
      (said.encoding == KeyEncoding::text ? "" : " are allowed") +
      ". Who asks for its keys would be told \"absent\"; a filter that is to hold both is made "
      "without saying how its keys are written");
}

}  // namespace bloomery
