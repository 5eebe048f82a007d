// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_LAYOUTS_H
#define BLOOMERY_PYTHON_LAYOUTS_H

#include "batch.h"

/* What readers of arrays make the keys of a batch with. Where they return an int it is 0, or -1
   with an exception set. */
void use(struct batch* batch, int layout, const void* data, size_t count, size_t width);
int use_integers(struct batch* batch, const char* data, size_t count, Py_ssize_t stride,
                 size_t width, int is_signed);
/* NULL with an exception set. */
void* allocate(size_t count, size_t size);
/* A TypeError. */
int refuse(const char* what);

#endif
