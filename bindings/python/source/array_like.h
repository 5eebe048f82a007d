// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_ARRAY_LIKE_H
#define BLOOMERY_PYTHON_ARRAY_LIKE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* What arrays of NumPy and of packages beside it say of themselves, without NumPy's headers. */

/* Raises a TypeError about an array whose elements are no keys. Names its dtype, or, of what has
   none, `format`, as struct has it. Returns -1. */
int refuse_elements(PyObject* object, const char* format);

/* Returns 1 where an array without a buffer holds Python's objects or NumPy's texts of any length,
   or has no dtype: its elements are read one by one. 0 for any other. -1 with an exception set. */
int has_objects(PyObject* object);

/* Returns what `object` gives as an array of NumPy, a new reference: a Series of pandas, say. NULL
   without an exception where it is none; NULL with one where it fails. */
PyObject* array_of(PyObject* object);

/* Raises a TypeError where an iteration over `object` gives what nobody means by keys: the names of
   a table's columns, or a file's lines with their ends. Returns 0, or -1. */
int refuse_frame(PyObject* object);

/* Raises a ValueError about arrays of NumPy of which some elements are masked: their buffer does
   not say which. Returns 0, or -1. */
int check_mask(PyObject* object);

#endif
