// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "cli/command_line.h"
#include "cli/patience.h"
#include "cli/state_keeper.h"

namespace bloomery::cli {

// How a command changes a filter's file.
struct EditOptions {
  Patience patience{};
  bool parts_links = false;  // other names of the file may keep the old filter
  bool in_place = false;
  bool recovers = false;  // first makes a file whole whose writer died while it changed it in place
};

// --wait, --no-wait, --part-links; and --in-place, --recover.
void add_edit_options(Command command, EditOptions& options);
void add_in_place_options(Command command, EditOptions& options);

// Throws StoreError where there is no room for a copy beside the file, or the file has other names
// and it was not said what becomes of these. One that is not there is refused by who opens it.
void require_replaceable(const FileLocation& location, const EditOptions& options);

// A filter's file while it is changed: a copy in memory that replaces it in one step, or the file
// itself. Throws before anything is read or written where there is no room for the copy, where the
// file has other names and it was not said what becomes of these, and where the kind is not changed
// in place; and as FilterEditor and MappedFilter do.
class EditedFile {
 public:
  // Opens the file. With in-place changes it is made before other threads are: SIGINT, SIGTERM and
  // SIGHUP end the process only after the file was closed, as StateKeeper does it.
  EditedFile(const FileLocation& location, const EditOptions& options);
  ~EditedFile();
  EditedFile(const EditedFile&) = delete;
  EditedFile& operator=(const EditedFile&) = delete;

  // Holds back signals, which may close the file otherwise: in place, the filter is changed and
  // asked, and commit() called, while the lock is held.
  StateKeeper::Lock hold() { return keeper_ ? keeper_->lock() : StateKeeper::Lock(); }

  // Valid until commit().
  AnyFilter& filter() { return mapped_ ? mapped_->writable() : editor_->filter(); }

  // Returns whether changes are in the file as soon as they are made: then commit() is needed in
  // any case.
  bool is_in_place() const noexcept { return mapped_.has_value(); }

  void commit();

 private:
  std::optional<StateKeeper> keeper_{};
  std::optional<FilterEditor> editor_{};
  std::optional<MappedFilter> mapped_{};
};

}  // namespace bloomery::cli
