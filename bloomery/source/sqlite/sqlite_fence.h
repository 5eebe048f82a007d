// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bloomery/source/change_options.h"
#include "bloomery/source/change_source.h"
#include "bloomery/source/sqlite/sqlite_outbox.h"
#include "bloomery/source/sqlite_database.h"

namespace bloomery {

// The last change of a column that is followed (sqlite_changes.h). Costs PRAGMA data_version and a
// look at the file's time where nobody wrote since it was asked before: half to all of what a
// look-up of a row in a small table does, so that behind this fence a filter saves reading, not
// computing.
class SqliteFence final : public FenceSource {
 public:
  // Throws as SqliteChanges does.
  SqliteFence(std::string path, SqliteSelection selection, ChangeOptions options);

  // SourceChanged also where nobody follows the column.
  Watermark ask(const CallContext& context) override;

 private:
  void open();
  std::int64_t data_version();
  Watermark read();

  const std::string path_;
  const SqliteSelection selection_;
  const ChangeOptions options_;
  std::unique_ptr<SqliteDatabase> database_;
  std::unique_ptr<SqliteOutbox> outbox_;
  SqliteDatabase::Statement version_;
  std::int64_t seen_version_ = -1;
  SqliteDatabase::FileStamp seen_stamp_{};
  Watermark seen_{};  // at that version of the database
};

}  // namespace bloomery
