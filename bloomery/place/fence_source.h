// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "bloomery/place/call_context.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

// The rows no longer come without a gap: the table was exchanged, its log is gone, another server
// answers. Start again, and scan.
struct SourceChanged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Asks a database how far it is, now: all rows that anybody can see lie at or below the answer. Its
// `source` is that of the ChangeSource of the same location. One thread at a time.
class FenceSource {
 public:
  virtual ~FenceSource() = default;

  // Throws StoreError where the database fails, SourceChanged where there is no such table.
  virtual Watermark ask(const CallContext& context = {}) = 0;
  // Returns whether a database that lost rows (it was put back to an older state) is another source
  // from its first answer on. Else a watermark that has risen above an answer counts only once the
  // database was asked again.
  virtual bool names_history() const noexcept { return false; }
};

}  // namespace bloomery
