// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_ARROW_H
#define BLOOMERY_PYTHON_ARROW_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "batch.h"

/* What has __arrow_c_array__: 1, or -1 with an exception set. */
int arrow_read(PyObject* object, struct batch* batch);
/* What has __arrow_c_stream__, at its first array: the same. */
int arrow_open(PyObject* object, struct batch* batch);
/* Its next array: 1, 0 behind the last, or -1 with an exception set. */
int arrow_next(struct batch* batch);
void arrow_close(struct batch* batch);

#endif
