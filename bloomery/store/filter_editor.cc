// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/filter_editor.h"

#include <optional>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/store/foreign_file.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/replace_file.h"
#include "bloomery/store/replacement_file.h"
#include "bloomery/store/writer_lock.h"

namespace bloomery {

struct FilterEditor::Lock {
  std::optional<WriterLock> of_file;
};

struct FilterEditor::Opened {
  explicit Opened(const FileLocation& location)
      : format(location.format),
        target(follow_links(location.path)),
        lock(WriterLock::of(target)),
        filter(open(location)) {}

  AnyFilter open(const FileLocation& location) {
    if (format != nullptr) return load_foreign(lock.file(), location);
    FileHeader header = read_header(lock.file());
    require_closed_cleanly(header, location.path);
    notes = std::move(header.notes);
    return load_from(lock.file(), header);
  }

  const Format* format;
  std::filesystem::path target;
  WriterLock lock;
  FileNotes notes;
  AnyFilter filter;
};

FilterEditor::FilterEditor(const FileLocation& location) : FilterEditor(Opened(location)) {}

FilterEditor::FilterEditor(Opened opened)
    : format_(opened.format),
      target_(std::move(opened.target)),
      lock_(std::make_unique<Lock>(Lock{std::move(opened.lock)})),
      notes_(std::move(opened.notes)),
      filter_(std::move(opened.filter)) {}

FilterEditor::FilterEditor(FilterEditor&&) noexcept = default;
FilterEditor& FilterEditor::operator=(FilterEditor&&) noexcept = default;
FilterEditor::~FilterEditor() = default;

bool FilterEditor::is_there() const noexcept {
  return !target_.empty() && lock_->of_file->file().is_named(target_);
}

void FilterEditor::commit() {
  if (target_.empty()) throw StoreError("an editor that was moved to another object has no file");
  const FilterContents contents = filter_.contents();
  auto written = format_ == nullptr ? write_file(contents, notes_, target_, file_of(lock_->of_file))
                                    : write_foreign(contents, *format_, target_, lock_->of_file);
  lock_->of_file = std::move(written);
}

}  // namespace bloomery
