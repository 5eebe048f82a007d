// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/native/file_notes.h"
#include "bloomery/store/file_location.h"

namespace bloomery {

// Changes a filter's file: locks it against other writers, loads it, and writes it back in one
// step. Destroyed without commit, it leaves the file as it was. Readers are never blocked. Of a
// file of another system's format the notes are empty, and stay so.
//
// Throws as save and load do; BusyError where another process is writing the file.
class FilterEditor {
 public:
  // Locks the file and reads the filter. Throws what reading throws.
  explicit FilterEditor(const FileLocation& location);
  explicit FilterEditor(const std::filesystem::path& path) : FilterEditor(FileLocation(path)) {}
  FilterEditor(FilterEditor&&) noexcept;
  FilterEditor& operator=(FilterEditor&&) noexcept;
  ~FilterEditor();

  // The filter, and the notes, that commit() writes.
  AnyFilter& filter() noexcept { return filter_; }
  const AnyFilter& filter() const noexcept { return filter_; }
  FileNotes& notes() noexcept { return notes_; }
  const FileNotes& notes() const noexcept { return notes_; }

  // Returns whether the file is still there under its name; else it is written no more.
  bool is_there() const noexcept;

  // Saves what the filter is now. May be called again: the lock is held until the editor goes.
  void commit();

 private:
  struct Lock;
  struct Opened;
  explicit FilterEditor(Opened opened);

  const Format* format_;
  std::filesystem::path target_;
  std::unique_ptr<Lock> lock_;
  FileNotes notes_;
  AnyFilter filter_;
};

}  // namespace bloomery
