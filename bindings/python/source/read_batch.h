// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_READ_BATCH_H
#define BLOOMERY_PYTHON_READ_BATCH_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "batch.h"

/* 1: `batch` has the keys, or the first of a stream, for batch_release(). 0: the object is none of
   these arrays. -1 with an exception set. */
int batch_read(PyObject* object, struct batch* batch);
/* 1: it has those that follow, in place of these. 0: there are no more. -1 with an exception set.
 */
int batch_next(struct batch* batch);
void batch_release(struct batch* batch);

#endif
