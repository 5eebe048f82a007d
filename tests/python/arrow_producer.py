"""Arrays of Arrow by its C data interface, made here: Debian has no pyarrow."""
import ctypes
import struct


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ReleaseSchema),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ReleaseArray),
    ("private_data", ctypes.c_void_p),
]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Arrow:
    """What has __arrow_c_array__. The memory lives as long as this does."""

    def __init__(self, form, buffers, length, offset=0, null_count=0, dictionary=None, released=False):
        self._buffers = [None if b is None else ctypes.create_string_buffer(b, len(b) + 8) for b in buffers]
        self._pointers = (ctypes.c_void_p * max(1, len(buffers)))(
            *[None if b is None else ctypes.addressof(b) for b in self._buffers]
        )
        self._released = ReleaseSchema(lambda schema: None), ReleaseArray(lambda array: None)
        self._schema = Schema(form.encode(), None, None, 0, 0, None, dictionary, self._released[0], None)
        self._array = Array(
            length, null_count, offset, len(buffers), 0, self._pointers, None, None, self._released[1], None
        )
        if released:
            self._array.release = ReleaseArray()

    def __arrow_c_array__(self, requested_schema=None):
        return (
            _new_capsule(ctypes.addressof(self._schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(self._array), b"arrow_array", None),
        )


def strings(texts, form="u", **more):
    """utf8 ("u"), large_utf8 ("U"), binary ("z") or large_binary ("Z")."""
    coded = [t if isinstance(t, bytes) else t.encode() for t in texts]
    offsets = [0]
    for each in coded:
        offsets.append(offsets[-1] + len(each))
    code = "q" if form in "UZ" else "i"
    more.setdefault("length", len(texts))
    return Arrow(form, [more.pop("validity", None), struct.pack(f"{len(offsets)}{code}", *offsets), b"".join(coded)], **more)


def integers(numbers, form="l", code="q", **more):
    more.setdefault("length", len(numbers))
    return Arrow(form, [more.pop("validity", None), struct.pack(f"{len(numbers)}{code}", *numbers)], **more)
