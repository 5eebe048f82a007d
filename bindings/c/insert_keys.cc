// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/insert_keys.h"

#include <algorithm>
#include <span>

#include "bindings/c/key_reader.h"

namespace bloomery::c {

std::size_t insert_keys(bloomery_filter& filter, const bloomery_keys& given,
                        std::uint8_t* outcomes) {
  // Looked at before an open filter takes its form of them.
  const KeyForm usual = KeyReader::usual_form(given.layout);
  const KeyForm likely = filter.form_to_ask(usual);
  KeyReader keys(given, likely);
  keys.check_all();
  if (given.count == 0) return 0;
  if (const KeyForm form = filter.form_to_insert(usual); form != likely) {
    keys = KeyReader(given, form);  // another thread's keys came first
    keys.check_all();
  }
  std::size_t added = 0;
  for (std::size_t first = 0; first < keys.count(); first += kPiece) {
    const std::size_t count = std::min(kPiece, keys.count() - first);
    added += filter.held().insert_many(keys.read(first, count),
                                       outcomes == nullptr ? nullptr : outcomes + first);
  }
  return added;
}

void ask_keys(const bloomery_filter& filter, const bloomery_keys& given, std::uint8_t* answers,
              const CallContext& context) {
  KeyReader keys(given, filter.form_to_ask(KeyReader::usual_form(given.layout)));
  // Last, and also where a later key cannot be read or asked: what failed meanwhile counts.
  struct Trusted {
    const bloomery_filter& filter;
    std::span<std::uint8_t> answers;
    ~Trusted() {
      if (filter.trusted(BLOOMERY_ABSENT) == BLOOMERY_ABSENT) return;
      std::replace(answers.begin(), answers.end(), std::uint8_t{BLOOMERY_ABSENT},
                   std::uint8_t{BLOOMERY_UNKNOWN});
    }
  };
  const Trusted trusted{filter, {answers, keys.count()}};
  for (std::size_t first = 0; first < keys.count(); first += kPiece) {
    const std::size_t count = std::min(kPiece, keys.count() - first);
    filter.held().ask_many(keys.read(first, count), answers + first, context);
  }
}

}  // namespace bloomery::c
