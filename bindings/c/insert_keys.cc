// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/insert_keys.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings/c/key_reader.h"

namespace bloomery::c {
namespace {

// Asks again for those keys of [first, first + count) that are absent as they were asked for: they
// may be there in their other bytes.
void ask_seconds(const bloomery_filter& filter, const KeyReader& keys, std::size_t first,
                 std::size_t count, std::uint8_t* answers, const CallContext& context) {
  std::vector<std::string> rooms;
  std::vector<std::size_t> of;
  for (std::size_t i = first; i < first + count; ++i) {
    std::string room;
    if (answers[i] != BLOOMERY_ABSENT || !keys.second(i, room)) continue;
    answers[i] = BLOOMERY_UNKNOWN;  // until the second question is answered
    if (keys.is_spelt_elsewhere(i)) continue;
    rooms.push_back(std::move(room));
    of.push_back(i);
  }
  if (of.empty()) return;
  const std::vector<Key> views(rooms.begin(), rooms.end());
  std::vector<std::uint8_t> said(of.size(), std::uint8_t{BLOOMERY_UNKNOWN});
  filter.held().ask_many(std::span<const Key>(views), said.data(), context);
  for (std::size_t i = 0; i < of.size(); ++i) answers[of[i]] = said[i];
}

}  // namespace

std::size_t insert_keys(bloomery_filter& filter, const bloomery_keys& given,
                        std::uint8_t* outcomes) {
  // Looked at before an open filter takes its form of them.
  KeyReader keys(given);
  const KeyForm usual = keys.usual_form_to_insert();
  const KeyForm likely = filter.form_to_ask(usual);
  keys.set_form(likely);
  keys.check_all();
  if (given.count == 0) return 0;
  if (const KeyForm form = filter.form_to_insert(usual); form != likely) {
    keys.set_form(form);  // another thread's keys came first
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
  KeyReader keys(given);
  const KeyForm form = filter.form_to_ask(keys.usual_form_to_ask());
  keys.set_form(form);
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
    if (has_seconds(form)) ask_seconds(filter, keys, first, count, answers, context);
  }
}

}  // namespace bloomery::c
