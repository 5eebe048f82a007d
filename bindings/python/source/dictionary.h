// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_DICTIONARY_H
#define BLOOMERY_PYTHON_DICTIONARY_H

#include "batch.h"

/* Makes the keys of a batch of those among `words` that `numbers`, integers of 64 bits, tell. The
   words are those of `dictionary`, which says which are null. They stay where they are, except for
   integers. -1 with an exception set. */
int use_words(struct batch* batch, const bloomery_keys* words, const struct arrow_array* dictionary,
              const bloomery_keys* numbers);

int arrow_is_null(const struct arrow_array* array, size_t row);
/* A ValueError. */
int refuse_null(size_t key);

#endif
