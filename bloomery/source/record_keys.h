// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/source/source_options.h"

namespace bloomery {

// The keys that records of a text spell, in memory of its own that is used again. Where the record
// is its key, that is views of the records and costs nothing; a field costs one search a field
// before it, an encoding one pass over the key.
class RecordKeys {
 public:
  // The keys of the records, up to the first record that spells none; problem() says why. Both are
  // valid until the next call, as the records are.
  std::span<const Key> take(std::span<const std::string_view> records,
                            const SourceOptions& options);
  const std::string& problem() const noexcept { return problem_; }

 private:
  std::string_view field_of(std::string_view record, const SourceOptions& options);

  std::vector<Key> keys_;
  std::vector<char> decoded_;
  std::string unquoted_;    // room for a field of CSV
  std::string normalised_;  // and for a text
  std::string problem_;
};

}  // namespace bloomery
