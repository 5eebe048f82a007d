#pragma once

#include <cstddef>

#include "bloomery/filter/batch.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/bulk/bulk_round.h"

namespace bloomery {

// Hashes the keys and adds them to a part of a round.
void add_keys(const BlockedLayout& layout, BulkRound& round, std::size_t part,
              KeyBatch keys) noexcept;

}  // namespace bloomery
