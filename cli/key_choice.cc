// SPDX-License-Identifier: Apache-2.0
#include "cli/key_choice.h"

#include <algorithm>
#include <stdexcept>

#include "bloomery/source/key_encoding.h"
#include "bloomery/text/printable.h"
#include "cli/arguments.h"
#include "cli/messages.h"

namespace bloomery::cli {
namespace {

constexpr const char* kNoUnicode =
    "nfc is not done here: it goes by tables of Unicode that differ from one machine to the next, "
    "and a key that is normalised in two ways is absent; normalise before, on both sides";

Normalise parse_normalise(std::string_view text) {
  auto all = Normalise::none;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const auto found = find_normalise(word);
    if (!found) {
      throw std::invalid_argument(
          printable(word) + " is no normalisation of keys; allowed: " + std::string(kNormalises) +
          ", with commas between" + (word == "nfc" ? std::string("; ") + kNoUnicode : ""));
    }
    all = all | *found;
  }
  return all;
}

KeyForm usual_form(const PlaceLocation& location) {
  if (location.format == nullptr) return {};
  return {.encoding = find_key_encoding(location.format->keys).value()};
}

// Returns whether what is there says how its keys are written, so that nobody may contradict it:
// files of ours, bitmaps with a trailer, and of filters in servers those of our own kinds, not
// RedisBloom's.
bool says_form(const PlaceLocation& location, FilterKind kind) {
  return location.format == nullptr || location.has_trailer ||
         (location.dialect && !is_foreign(kind));
}

bool is_empty(const AnyFilter& filter) {
  return filter.inserted() == 0 && filter.cardinality() == 0;
}

// Returns whether the choice contradicts `form`. Nothing contradicts an unknown form: the choice
// decides it.
bool contradicts(const KeyChoice& choice, const KeyForm& form) {
  return form.is_known() && choice.form(form) != form;
}

bool spells_bytes(KeyEncoding encoding) {
  return encoding == KeyEncoding::hex || encoding == KeyEncoding::base64;
}

[[noreturn]] void refuse(const KeyChoice& choice, const PlaceLocation& location,
                         const KeyForm& form) {
  // A text may be written in digits, if its bytes are no text; or the text itself is digits.
  if (choice.encoding && spells_bytes(*choice.encoding) && form == KeyForm{}) {
    const std::string word(key_encoding_name(*choice.encoding));
    throw std::invalid_argument(
        location.text() + ": its keys are text. If " + word +
        " is how you write a key's bytes, insist with --insist; if what you give is the key as it "
        "was inserted, leave out --as, or keys that are there would be \"absent\"");
  }
  throw std::invalid_argument(
      location.text() + ": its keys are " + form_text(form) + ", and as " +
      form_text(choice.form(form)) +
      " they are other bytes: keys that are there would be \"absent\". Leave out what --as and "
      "--normalise say, or insist with --insist; bloomery convert --insist makes a file that says "
      "it");
}

// A filter of unknown form that stays so takes keys only as it will be asked for them: nothing
// would say of others what they are.
void require_asked(const KeyForm& form, const PlaceLocation& location) {
  if (is_asked_of_unknown(form)) return;
  throw std::invalid_argument(
      location.text() +
      ": the program that made it has not said how its keys are written, so it is asked for texts "
      "and integers of 64 bits, and keys that are " +
      form_text(form) +
      " would be \"absent\". Allowed: --as text, u64 or i64, without --normalise; bloomery convert "
      "--as makes a file that says another form");
}

}  // namespace

KeyForm KeyChoice::form(const KeyForm& usual) const {
  if (insists && !encoding && !normalise) {
    throw std::invalid_argument(
        "--insist: holds --as and --normalise against what a filter says of its keys, and neither "
        "of them is there");
  }
  // --normalise without --as means texts if the usual form is unknown.
  const KeyEncoding own = usual.is_known() || !normalise ? usual.encoding : KeyEncoding::text;
  const KeyForm chosen{encoding.value_or(own), normalise.value_or(usual.normalise)};
  if (const std::string problem = form_problem(chosen); !problem.empty()) {
    throw std::invalid_argument("--normalise: " + problem);
  }
  return chosen;
}

void add_form_options(Command command, KeyChoice& choice) {
  add_value(
      command, "--as", std::string(kKeyEncodings),
      "how keys are written; by default as the filter's file says. An i32 is four little-endian "
      "bytes, a u64 or i64 eight",
      [&choice](const std::string& text) { choice.encoding = parse_key_encoding(text); });
  add_value(command, "--normalise", std::string(kNormalises),
            "make keys equal that a database calls equal, by one or several of these with commas "
            "between. trim: no blanks around a key; lower: A-Z become a-z; integer: 007 and 7.0 "
            "become 7; url: the canonical form of RFC 3986. The filter's file remembers it",
            [&choice](const std::string& text) { choice.normalise = parse_normalise(text); });
}

void add_form_options_to_ask(Command command, KeyChoice& choice) {
  add_form_options(command, choice);
  command.add_flag("--insist", choice.insists,
                   "use --as and --normalise even if the filter's file says otherwise of its keys");
}

KeyForm form_for(const KeyChoice& choice, const PlaceLocation& location, const AnyFilter& filter) {
  PlaceHead head{.parameters = filter.parameters()};
  head.is_empty = is_empty(filter);
  return form_for(choice, location, head);
}

KeyForm form_for(const KeyChoice& choice, const PlaceLocation& location, const PlaceHead& head) {
  const KeyForm& own = head.parameters.keys;
  const bool may_refuse = says_form(location, head.parameters.kind) && !choice.insists;
  // In an empty filter every key is absent, however it is written.
  if (may_refuse && contradicts(choice, own) && !head.is_empty) refuse(choice, location, own);
  return choice.form(own);
}

bool says_keys(const PlaceLocation& location) {
  return !location.is_live() || location.is_own_bitmap() || location.has_trailer ||
         location.dialect;
}

KeyForm form_to_insert(const KeyChoice& choice, const PlaceLocation& location, AnyFilter& filter) {
  // A filter that was made for keys of one form stays so; one of which nobody said anything takes
  // what comes first.
  const bool undecided = !filter.keys().is_known() && is_empty(filter);
  const KeyForm& own = filter.keys();
  if (says_form(location, filter.parameters().kind) && !undecided && !choice.insists &&
      contradicts(choice, own)) {
    refuse(choice, location, own);
  }
  const KeyForm form = choice.form(undecided || !own.is_known() ? usual_form(location) : own);
  if (undecided) filter.set_keys(form);
  if (!filter.keys().is_known()) require_asked(form, location);
  return form;
}

KeyForm form_to_insert(const KeyChoice& choice, const PlaceLocation& location, PlaceHead head) {
  head.is_empty = false;  // what it says of its keys cannot be changed
  const KeyForm form = form_for(choice, location, head);
  if (!head.parameters.keys.is_known()) require_asked(form, location);
  return form;
}

void require_known(const KeyForm& form, const PlaceLocation& location) {
  if (form.is_known()) return;
  throw std::invalid_argument(location.text() +
                              ": the program that made it has not said how its keys are written: "
                              "texts or integers. Say it with --as text, --as u64 or --as i64");
}

KeyForm form_for_all(const KeyChoice& choice, std::span<const PlaceLocation> locations,
                     std::span<const PlaceHead> heads) {
  const KeyForm first = form_for(choice, locations.front(), heads.front());
  KeyForm all = first;
  for (std::size_t i = 1; i < heads.size(); ++i) {
    const KeyForm form = form_for(choice, locations[i], heads[i]);
    if (form == first) continue;
    // Asking for a second form of a key finds more, never less.
    if (is_asked_of_unknown(form) && is_asked_of_unknown(first) &&
        !(form.is_known() && first.is_known())) {
      all = kUnknownForm;
      continue;
    }
    throw std::invalid_argument("keys of " + locations.front().text() + " are " + form_text(first) +
                                " and those of " + locations[i].text() + " " + form_text(form) +
                                " where nothing else is said: say it with --as, or ask them apart");
  }
  return all;
}

void complain_of_usual_forms(const KeyChoice& choice, std::span<const PlaceLocation> locations,
                             std::string_view said) {
  if (choice.encoding) return;
  for (const PlaceLocation& each : locations) {
    // Ours say it, or are asked in both forms.
    if (each.format == nullptr || each.has_trailer || each.dialect == redis::Dialect::bloom)
      continue;
    complain(each.text() + ": cannot say how its keys are written: it was asked for " +
             form_text(usual_form(each)) + " keys, as is usual; keys of another form are \"" +
             std::string(said) + "\" unless --as says it");
  }
}

KeyForm form_of_new(const KeyChoice& choice, const PlaceLocation& location) {
  return choice.form(usual_form(location));
}

KeyForm form_of_empty(const KeyChoice& choice, const PlaceLocation& location) {
  const bool is_said = choice.encoding || choice.normalise;
  return is_said || location.is_foreign() ? form_of_new(choice, location) : kUnknownForm;
}

SourceOptions with_form(SourceOptions options, const KeyForm& form) {
  options.encoding = form.encoding;
  options.normalise = form.normalise;
  return options;
}

std::string form_words(const KeyForm& form) {
  return form_text(form) +
         (form.is_known() ? "" : ": texts and integers are asked for; --as says which they are");
}

void add_keys(Report& report, const PlaceLocation& location, const KeyForm& form) {
  std::string text = form_words(form);
  if (!location.has_own_kinds() && !location.has_trailer && form != usual_form(location)) {
    text += ", which the file cannot say: ask it --as " + form_text(form);
  }
  report.add("keys", form_text(form), text);
}

}  // namespace bloomery::cli
