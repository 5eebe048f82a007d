# SPDX-License-Identifier: Apache-2.0
"""Arrays and streams of Arrow by its C interfaces, made here: Debian has no pyarrow."""
import ctypes
import errno
import struct


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class StreamOf(ctypes.Structure):
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

GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(StreamOf), ctypes.POINTER(Schema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(StreamOf), ctypes.POINTER(Array))
GetError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(StreamOf))
ReleaseStream = ctypes.CFUNCTYPE(None, ctypes.POINTER(StreamOf))
StreamOf._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", GetError),
    ("release", ReleaseStream),
    ("private_data", ctypes.c_void_p),
]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Arrow:
    """What has __arrow_c_array__. The memory lives as long as this does."""

    def __init__(self, form, buffers, length, offset=0, null_count=0, dictionary=None, released=False, children=()):
        self.children = children
        self._buffers = [None if b is None else ctypes.create_string_buffer(b, len(b) + 8) for b in buffers]
        self._pointers = (ctypes.c_void_p * max(1, len(buffers)))(
            *[None if b is None else ctypes.addressof(b) for b in self._buffers]
        )
        self._released = ReleaseSchema(lambda schema: None), ReleaseArray(lambda array: None)
        self.dictionary = dictionary
        words = [None, None]
        if dictionary is not None:
            words = [ctypes.addressof(each) for each in (dictionary._schema, dictionary._array)]
        self._schema = Schema(form.encode(), None, None, 0, 0, None, words[0], self._released[0], None)
        self._array = Array(
            length, null_count, offset, len(buffers), 0, self._pointers, None, words[1], self._released[1], None
        )
        for struct, kind, parts in (
            (self._schema, Schema, [each._schema for each in children]),
            (self._array, Array, [each._array for each in children]),
        ):
            pointers = (ctypes.POINTER(kind) * max(1, len(parts)))(*map(ctypes.pointer, parts))
            setattr(self, f"_children of {kind.__name__}", pointers)
            struct.n_children = len(parts)
            struct.children = ctypes.cast(pointers, ctypes.c_void_p) if parts else None
        if released:
            self._array.release = ReleaseArray()

    def __arrow_c_array__(self, requested_schema=None):
        return (
            _new_capsule(ctypes.addressof(self._schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(self._array), b"arrow_array", None),
        )


class Stream:
    """What has __arrow_c_stream__: the arrays, then the end, or an error. `given` and `released` count the structs."""

    def __init__(self, form, arrays, error=0, message=b"the wire broke"):
        self.given = self.released = 0
        arrays = list(arrays)

        def give(kind, release, struct, out):
            def released(pointer):
                self.released += 1
                pointer[0].release = release()

            callback = release(released)
            self._kept.append(callback)
            out[0] = kind.from_buffer_copy(struct)
            out[0].release = callback
            self.given += 1
            return 0

        def get_schema(stream, out):
            if form is None:
                return errno.EIO
            if form == "":
                return 0
            return give(Schema, ReleaseSchema, form._schema, out)

        def get_next(stream, out):
            if not arrays:
                return error
            self._kept.append(arrays[0])
            return give(Array, ReleaseArray, arrays.pop(0)._array, out)

        text = None if message is None else ctypes.create_string_buffer(message)
        self._kept = [form, text]
        self.struct = StreamOf(
            GetSchema(get_schema),
            GetNext(get_next),
            GetError(lambda stream: text and ctypes.addressof(text)),
            ReleaseStream(lambda stream: None),
        )

    def __arrow_c_stream__(self, requested_schema=None):
        return _new_capsule(ctypes.addressof(self.struct), b"arrow_array_stream", None)


def stream(*arrays, **more):
    return Stream(arrays[0], arrays, **more)


def table(*columns, **more):
    """A struct of them, as databases give their rows."""
    more.setdefault("length", columns[0]._array.length if columns else 0)
    return Arrow("+s", [more.pop("validity", None)], children=columns, **more)


def view(text, buffer=0, at=0, length=None):
    """The sixteen bytes of a string that lies in a buffer, or in them."""
    length = len(text) if length is None else length
    if length <= 12 and length >= 0:
        return struct.pack("i12s", length, text)
    return struct.pack("i4sii", length, text[:4], buffer, at)


def of_views(views, buffers=(), form="vu", sizes=None, **more):
    sizes = [len(each) for each in buffers] if sizes is None else sizes
    more.setdefault("length", len(views))
    sizes = struct.pack(f"{len(sizes)}q", *sizes)
    return Arrow(form, [more.pop("validity", None), b"".join(views), *buffers, sizes], **more)


def views(texts, form="vu", **more):
    """utf8_view ("vu") or binary_view ("vz"), those that are long in two buffers by turns."""
    buffers, all_of = [b"", b"padding"], []
    for i, text in enumerate(texts):
        coded = text if isinstance(text, bytes) else text.encode()
        all_of.append(view(coded, i % 2, len(buffers[i % 2])))
        if len(coded) > 12:
            buffers[i % 2] += coded
    return of_views(all_of, buffers, form, **more)


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


def numbered(numbers, dictionary, form="i", code="i", **more):
    """What is dictionary-encoded."""
    return integers(numbers, form, code, dictionary=dictionary, **more)
