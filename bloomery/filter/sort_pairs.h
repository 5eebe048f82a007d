#pragma once

#include <vector>

#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// Sorts by h1, and by h2 where that is the same. Takes the pairs' memory once more.
void sort_pairs(std::vector<HashPair>& pairs);

}  // namespace bloomery
