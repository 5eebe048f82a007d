// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_ERRORS_H
#define BLOOMERY_PYTHON_ERRORS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Raises what bloomery_status() of this thread says. Returns NULL. */
PyObject* raise_last(void);

/* Adds the classes to the module. -1 with an exception set. */
int add_errors(PyObject* module);

#endif
