#include "bloomery/store/filter_editor.h"

#include <utility>

#include "bloomery/store/messages.h"
#include "bloomery/store/native_file_access.h"
#include "bloomery/store/replacement_file.h"

namespace bloomery {

struct FilterEditor::Opened {
  explicit Opened(const std::filesystem::path& path)
      : target(follow_links(path)), lock(WriterLock::of(target)), header(read_header(lock.file())) {
    require_closed_cleanly(header, path);
  }

  std::filesystem::path target;
  WriterLock lock;
  FileHeader header;
};

FilterEditor::FilterEditor(const std::filesystem::path& path) : FilterEditor(Opened(path)) {}

FilterEditor::FilterEditor(Opened opened)
    : target_(std::move(opened.target)),
      lock_(std::move(opened.lock)),
      notes_(std::move(opened.header.notes)),
      filter_(load_from(lock_->file(), opened.header)) {}

void FilterEditor::commit() {
  auto written = write_file(filter_.contents(), notes_, target_, lock_);
  lock_ = std::move(written);
}

}  // namespace bloomery
