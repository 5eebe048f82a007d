// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_ERRORS_H
#define BLOOMERY_PYTHON_ERRORS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Raises what bloomery_status() of this thread says. Returns NULL. */
PyObject* raise_last(void);

/* Warns with an OverfilledWarning, of the line `level` frames up. -1 with an exception set, where
   warnings are errors. */
int warn_overfilled(const char* what, int level);

/* Adds the classes to the module. -1 with an exception set. */
int add_errors(PyObject* module);

#endif
