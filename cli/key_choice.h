// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/open/place_location.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/source/source_options.h"
#include "cli/command_line.h"
#include "cli/report.h"

// How keys are written is the filter's affair, and its file says it. Whoever asks otherwise asks
// for other bytes, and is told "absent" of keys that are there.
namespace bloomery::cli {

// The form of keys that the command line chose; nothing where the filter decides.
struct KeyChoice {
  std::optional<KeyEncoding> encoding;
  std::optional<Normalise> normalise;
  bool insists = false;

  // The form that was chosen, completed by `usual`. Throws std::invalid_argument for a form that is
  // none.
  KeyForm form(const KeyForm& usual) const;
};

// --as and --normalise, for a filter that is to be made.
void add_form_options(Command command, KeyChoice& choice);
// Adds --as and --normalise for a filter that exists, and --insist, which makes them hold against
// what the filter's file says.
void add_form_options_to_ask(Command command, KeyChoice& choice);

// The form in which keys are to be asked of a filter, or inserted: the filter's own. Of other
// systems', which cannot say it, what was chosen. Throws std::invalid_argument where the choice
// contradicts a filter of ours that holds keys, unless it insists.
KeyForm form_for(const KeyChoice& choice, const PlaceLocation& location, const AnyFilter& filter);
KeyForm form_for(const KeyChoice& choice, const PlaceLocation& location, const PlaceHead& head);

// Returns the form in which keys are to be inserted; an empty filter of unknown form takes it over.
// Throws as form_for() does, also for an empty filter of known form.
KeyForm form_to_insert(const KeyChoice& choice, const PlaceLocation& location, AnyFilter& filter);

// The form of keys for a filter that is where it is used, and says of them what it said before.
KeyForm form_to_insert(const KeyChoice& choice, const PlaceLocation& location, PlaceHead head);

// Returns whether what is there says how its keys are written: files, and in servers what is ours
// or has a trailer. Of bf: and bloom: our module says it.
bool says_keys(const PlaceLocation& location);

// Throws std::invalid_argument if nobody has said how the keys are written, neither the filter nor
// the choice: for commands that cannot ask in two forms.
void require_known(const KeyForm& form, const PlaceLocation& location);

// The form for asking all of them together. Throws where they need different ones.
KeyForm form_for_all(const KeyChoice& choice, std::span<const PlaceLocation> locations,
                     std::span<const PlaceHead> heads);

// Says on standard error which of the filters were asked for their format's usual form of keys only
// because nobody has said another: neither the filter, which cannot, nor the choice. `said` is what
// the command calls keys of another form.
void complain_of_usual_forms(const KeyChoice& choice, std::span<const PlaceLocation> locations,
                             std::string_view said = "absent");

// The form of a filter that is to be made at `location`, or is in a server, where nothing says it.
KeyForm form_of_new(const KeyChoice& choice, const PlaceLocation& location);

// Returns the form of a filter that is made empty. If nobody has said it, a filter of ours takes
// that of its first keys, and another system's the usual one of its format.
KeyForm form_of_empty(const KeyChoice& choice, const PlaceLocation& location);

// `options` with keys of that form.
SourceOptions with_form(SourceOptions options, const KeyForm& form);

// Returns the form as people read it, with what is done where nobody knows it.
std::string form_words(const KeyForm& form);

// How the filter's keys are written; and where its file cannot say so, that it must be said.
void add_keys(Report& report, const PlaceLocation& location, const KeyForm& form);

}  // namespace bloomery::cli
