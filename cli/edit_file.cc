// SPDX-License-Identifier: Apache-2.0
#include "cli/edit_file.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/store/free_space.h"
#include "bloomery/store/regular_file.h"
#include "bloomery/store/replacement_file.h"
#include "cli/messages.h"

namespace bloomery::cli {
namespace {

void require_changed_in_place(const FileLocation& location) {
  if (location.format != nullptr) {
    throw std::invalid_argument(location.text() + ": only files of our own are changed --in-place");
  }
  const FilterKind kind = inspect(location.path).contents.parameters.kind;
  if (is_changed_in_place(kind)) return;
  throw std::invalid_argument(location.text() + ": is a " + std::string(kind_of(kind).name) +
                              " filter; only blocked and classic ones are changed --in-place");
}

}  // namespace

void require_replaceable(const FileLocation& location, const EditOptions& options) {
  const auto target = follow_links(location.path);
  const auto file = RegularFile::open_existing(target, RegularFile::Access::read);
  if (!file) return;
  if (const std::uint64_t names = file->status().link_count; names > 1 && !options.parts_links) {
    throw StoreError(location.text() + ": this file has " + std::to_string(names) +
                     " names (hard links), and replacing it would leave the others with the old "
                     "filter; --part-links does so, and insert --in-place changes it for all");
  }
  require_room_beside(target, file->size());
}

void add_edit_options(Command command, EditOptions& options) {
  add_patience(command, options.patience);
  command.add_flag(
      "--part-links", options.parts_links,
      "if the file has several names (hard links), change it under this name alone; without "
      "--part-links such a file is refused");
}

void add_in_place_options(Command command, EditOptions& options) {
  const Option in_place = command.add_flag(
      "--in-place", options.in_place,
      "change the file itself: it needs no room for a copy, and keeps all its names");
  command
      .add_flag("--recover", options.recovers,
                "go on with a file whose writer died during a change in place")
      .needs(in_place);
}

EditedFile::EditedFile(const FileLocation& location, const EditOptions& options) {
  if (options.in_place) {
    require_changed_in_place(location);
    keeper_.emplace(std::nullopt, [this, name = location.text()] {
      if (!mapped_) return;
      mapped_->close();
      complain(name + ": was closed at a signal, with the keys that were read until then");
    });
    retry_while_busy(location.text(), options.patience, [&] {
      MappedFilter mapped(
          location.path, MapOptions{.access = MapOptions::read_write, .recover = options.recovers});
      const StateKeeper::Lock held = hold();
      mapped_.emplace(std::move(mapped));
    });
  } else {
    require_replaceable(location, options);
    retry_while_busy(location.text(), options.patience, [&] { editor_.emplace(location); });
  }
}

EditedFile::~EditedFile() {
  const StateKeeper::Lock held = hold();
  mapped_.reset();
}

void EditedFile::commit() {
  mapped_ ? mapped_->close() : editor_->commit();
}

}  // namespace bloomery::cli
