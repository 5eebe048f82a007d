// SPDX-License-Identifier: Apache-2.0
#include "module/guard_filter.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "bloomery/place/watermark_text.h"
#include "module/open_key.h"
#include "module/refusal.h"
#include "module/settings.h"
#include "module/stored_filter.h"

namespace bloomery::module {
namespace {

constexpr std::size_t kMarkers = 8;

// A byte of 0 would end the name: such a command is none.
std::string command_of(std::string_view family, const char* name) {
  std::string command = std::string(family) + name;
  std::ranges::replace(command, '\0', '?');
  return command;
}

void add_items(ServerWords& words, const GuardArguments& arguments, std::size_t first,
               std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i) words.add(arguments.raw(i));
}

// The markers of the filter that was asked last, which is mostly the one. They live until the next
// call.
std::vector<Key> markers_of(std::string_view name) {
  static std::string known;
  static std::vector<std::string> markers;
  if (known != name) {
    known.clear();  // no name: of no filter, if memory ends here
    markers.clear();
    for (std::size_t i = 0; i < kMarkers; ++i) {
      markers.push_back("bloomery-marker:" + std::string(name) + ":" + std::to_string(i));
    }
    known = name;
  }
  return {markers.begin(), markers.end()};
}

// Asks a whole filter of this module without a command, which saves the server half of the cost.
// Nothing where the family's commands would ask another module, or have more to look at.
std::optional<std::vector<GuardPresence>> ask_own(GuardServer& server,
                                                  const GuardArguments& arguments,
                                                  std::size_t first, std::size_t count) {
  const bool is_native = is_bloom(arguments[0]);
  const std::string own_family = the_module().names.command(is_native ? "BLOOM" : "BF");
  if (!same_word(arguments[0], own_family) || !arguments[2].empty()) return std::nullopt;
  const OpenKey key(server.context(), arguments.filter(), kRead);
  const auto* const filter = key.get<StoredFilter>();
  if (filter == nullptr || filter->is_incomplete()) return std::nullopt;
  std::vector presences(count, GuardPresence::unknown);
  const Identity& identity = filter->notes().identity;
  const bool is_the_one = identity.is_set() && identity_text(identity) == arguments[1];
  if (is_native && !is_the_one) return presences;
  std::vector<Key> items = is_native ? std::vector<Key>() : markers_of(arguments[1]);
  const std::size_t marker_count = items.size();
  items.reserve(marker_count + count);
  for (std::size_t i = first; i < first + count; ++i) items.push_back(arguments[i]);
  const auto found = std::make_unique<bool[]>(items.size());
  filter->may_contain_many(items, found.get());
  bool* const said = found.get() + marker_count;
  if (std::find(found.get(), said, false) != said) return presences;
  for (std::size_t i = 0; i < count; ++i) {
    presences[i] = said[i] ? GuardPresence::maybe : GuardPresence::absent;
  }
  return presences;
}

// The filter's reply about each item, behind `skipped` others; or nothing.
struct Said {
  ServerReply reply{};
  std::size_t skipped = 0;
};

// A first item of no bytes keeps a key called FENCE from being an option.
Said ask_bloom(GuardServer& server, const GuardArguments& arguments, std::size_t first,
               std::size_t count) {
  ServerWords head = server.words();
  head.add(arguments.filter()).add("WATERMARK");
  const ServerReply info = server.try_read(command_of(arguments[0], ".INFO").c_str(), head);
  if (info[0].text() != arguments[1]) return {};
  ServerWords words = server.words();
  words.add(arguments.filter());
  if (!arguments[2].empty()) words.add("FENCE").add(arguments[2]).add(arguments[3]);
  words.add("");
  add_items(words, arguments, first, count);
  return {server.try_read(command_of(arguments[0], ".CHECK").c_str(), words), 1};
}

// No filter of BF.* keeps a fence.
Said ask_bf(GuardServer& server, const GuardArguments& arguments, std::size_t first,
            std::size_t count) {
  if (!arguments[2].empty()) return {};
  ServerWords words = server.words();
  words.add(arguments.filter());
  for (const Key marker : markers_of(arguments[1])) words.add(marker);
  add_items(words, arguments, first, count);
  ServerReply reply = server.try_read(command_of(arguments[0], ".MEXISTS").c_str(), words);
  for (std::size_t i = 0; i < kMarkers; ++i) {
    if (reply[i].number() != 1) return {};
  }
  return {std::move(reply), kMarkers};
}

}  // namespace

bool is_bloom(std::string_view family) noexcept {
  return family.ends_with("BLOOM");
}

const char* name_of(GuardPresence presence) noexcept {
  constexpr const char* kNames[] = {"none", "absent", "maybe", "unknown"};
  return kNames[static_cast<std::size_t>(presence)];
}

std::vector<GuardPresence> ask_guard_filter(GuardServer& server, const GuardArguments& arguments,
                                            std::size_t first, std::size_t count) {
  if (arguments.filter() == nullptr) return std::vector(count, GuardPresence::none);
  std::vector presences(count, GuardPresence::unknown);
  if (arguments[1].empty()) return presences;
  if (auto own = ask_own(server, arguments, first, count)) return *own;
  const Said said = is_bloom(arguments[0]) ? ask_bloom(server, arguments, first, count)
                                           : ask_bf(server, arguments, first, count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto flag = said.reply[said.skipped + i].number();
    if (flag == 0) presences[i] = GuardPresence::absent;
    if (flag == 1) presences[i] = GuardPresence::maybe;
  }
  return presences;
}

void insert_into_guard_filter(GuardServer& server, const GuardArguments& arguments,
                              std::size_t first, std::size_t count) {
  ServerWords words = server.words();
  words.add(arguments.filter());
  const bool is_native = is_bloom(arguments[0]);
  if (!is_native) words.add("NOCREATE").add("ITEMS");
  add_items(words, arguments, first, count);
  const std::string command = command_of(arguments[0], is_native ? ".MADD" : ".INSERT");
  const ServerReply reply = server.write(command.c_str(), words);
  if (reply.size() != count) throw Refusal("GUARD the filter answers something else");
  for (std::size_t i = 0; i < count; ++i) {
    const ServerReply each = reply[i];
    if (each.number()) continue;
    throw Refusal(each.is_error() ? std::string(each.text().value_or(""))
                                  : "GUARD the filter answers something else");
  }
}

std::string identity_of_guard_filter(GuardServer& server, const GuardArguments& arguments) {
  ServerWords words = server.words();
  if (!is_bloom(arguments[0])) {
    const ServerReply name = server.read("GET", words.add(arguments.key(1)));
    if (name.text().value_or("").empty()) {
      throw Refusal(
          "GUARD open: the filter has no markers; bloomery create or load bf: makes one that has");
    }
    return std::string(*name.text());
  }
  const std::string command = command_of(arguments[0], ".INFO");
  const ServerReply info = server.read(command.c_str(), words.add(arguments.key(0)));
  std::map<std::string_view, std::string> said;
  for (std::size_t i = 0; i + 1 < info.size(); i += 2) {
    const ServerReply name = info[i];
    const ServerReply value = info[i + 1];
    if (name.text() && value.text()) said[*name.text()] = std::string(*value.text());
  }
  if (!said.contains("Identity")) {
    throw Refusal(
        "GUARD open: the filter has no identity; BLOOM.RESERVE and bloomery push make one that "
        "has");
  }
  if (said["Kind"] == "windowed" || said["Kind"] == "counting") {
    throw Refusal("GUARD open: a " + said["Kind"] +
                  " filter forgets keys, so its absent is no proof");
  }
  if (said["Keys"] != "text") {
    throw Refusal("GUARD open: the filter holds keys as " +
                  (said["Keys"].empty() ? "nil" : said["Keys"]) + "; the guard asks for texts");
  }
  return said["Identity"];
}

}  // namespace bloomery::module
