// SPDX-License-Identifier: Apache-2.0
/* pybloomery._bloomery: what pybloomery/__init__.py makes its BloomFilter of. By CPython's own
   calls: a single `in` takes 0.9 times what a set's takes, through pybind11 3.8 times, which also
   takes seven times as long to compile. */
#include "errors.h"
#include "filter.h"

#include <pthread.h>
#include <structmember.h>

PyTypeObject* filter_type;
size_t forks;

static void count_fork(void) {
  ++forks;
}

#define CALL(function) ((PyCFunction)(void (*)(void))(function))
static PyMethodDef methods[] = {
    {"add", filter_add, METH_O, NULL},
    {"_presence", filter_presence, METH_O, NULL},
    {"_erase", filter_erase, METH_O, NULL},
    {"_many", CALL(filter_many), METH_FASTCALL, NULL},
    {"_update", CALL(filter_update), METH_FASTCALL, NULL},
    {"_build", CALL(filter_build), METH_VARARGS | METH_KEYWORDS | METH_CLASS, NULL},
    {"_open", filter_open, METH_VARARGS | METH_CLASS, NULL},
    {"_load", filter_load, METH_VARARGS | METH_CLASS, NULL},
    {"_from_bytes", filter_from_bytes, METH_O | METH_CLASS, NULL},
    {"_copy", filter_copy, METH_NOARGS, NULL},
    {"_merge", filter_merge, METH_O, NULL},
    {"_save", filter_save, METH_VARARGS, NULL},
    {"_to_bytes", filter_to_bytes, METH_NOARGS, NULL},
    {"_info", filter_info, METH_NOARGS, NULL},
    {"_place", filter_place, METH_NOARGS, NULL},
    {"__sizeof__", filter_memory, METH_NOARGS, NULL},
    {"_flush", filter_flush, METH_NOARGS, NULL},
    {"_clear", filter_clear, METH_NOARGS, NULL},
    {"_acknowledge", filter_acknowledge, METH_NOARGS, NULL},
    {"_close", filter_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef members[] = {{"capacity", filter_capacity, NULL, NULL, NULL},
                                {"keys", filter_keys, NULL, NULL, NULL},
                                {"closed", filter_closed, NULL, NULL, NULL},
                                {"in_doubt", filter_in_doubt, NULL, NULL, NULL},
                                {NULL, NULL, NULL, NULL, NULL}};

static PyMemberDef facts[] = {
    {"_is_elsewhere", T_BOOL, offsetof(Filter, is_elsewhere), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, filter_new},
                              {Py_tp_init, filter_init},
                              {Py_tp_dealloc, filter_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, members},
                              {Py_tp_members, facts},
                              {Py_sq_contains, filter_contains},
                              {Py_sq_length, filter_length},
                              {Py_tp_richcompare, filter_compare},
                              {Py_tp_hash, PyObject_HashNotImplemented},
                              {0, NULL}};

static PyType_Spec spec = {"pybloomery._bloomery.Filter", sizeof(Filter), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

static PyMethodDef functions[] = {{"size_of", CALL(size_of), METH_VARARGS | METH_KEYWORDS, NULL},
                                  {"recover", recover_file, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

static struct PyModuleDef module_def = {PyModuleDef_HEAD_INIT,
                                        "pybloomery._bloomery",
                                        "The C interface, as pybloomery/__init__.py uses it.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__bloomery(void) {
  PyObject* const module = PyModule_Create(&module_def);
  if (module == NULL) return NULL;
  if (pthread_atfork(NULL, NULL, count_fork) != 0) {
    Py_DECREF(module);
    return PyErr_NoMemory();
  }
  filter_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (filter_type == NULL || add_errors(module) < 0 ||
      PyModule_AddObjectRef(module, "Filter", (PyObject*)filter_type) < 0 ||
      PyModule_AddIntConstant(module, "READ", BLOOMERY_READ) < 0 ||
      PyModule_AddIntConstant(module, "WRITE", BLOOMERY_WRITE) < 0 ||
      PyModule_AddIntConstant(module, "FORGETTING", BLOOMERY_FORGETTING) < 0 ||
      PyModule_AddIntConstant(module, "WHOLE", BLOOMERY_WHOLE) < 0 ||
      PyModule_AddIntConstant(module, "SHARED", BLOOMERY_SHARED) < 0 ||
      PyModule_AddStringConstant(module, "version", bloomery_version()) < 0) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
