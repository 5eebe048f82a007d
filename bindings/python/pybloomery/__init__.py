# SPDX-License-Identifier: Apache-2.0
"""Bloom filters: "surely never added", or "maybe", in about ten bits a key.

>>> import pybloomery
>>> users = pybloomery.BloomFilter(1_000_000, 0.01)
>>> users.add("alice")
True
>>> "alice" in users, "bob" in users
(True, False)

The bits and files are those of the C++ library, of the ``bloomery`` command and of its filters in
Redis. Only ``False`` is a promise: ``True`` also stands for what a filter elsewhere cannot know.

A key is a ``str`` (its UTF-8), ``bytes`` (themselves: ``b"ab"`` and ``"ab"`` are one key) or an
``int`` of 64 bits. A filter holds texts or integers, and its file says which: the others are
refused with :class:`KeyFormError`, as they would be other bytes. A filter that was made without
``keys=`` takes what is added first.

>>> 42 in users
Traceback (most recent call last):
    ...
pybloomery.KeyFormError: the filter's keys are text, and integers are other keys, which it would call absent

Filters may be used by many threads. Batches run without the interpreter's lock.
"""

import copy
import json
import os

from . import _bloomery
from ._answers import Presence, Size, shaped
from ._attributes import attributes_of, has_keys, set_attributes
from ._bloomery import Error, FormatError, IncompatibleError, InDoubtError, KeyFormError, OverfilledWarning, StoreError
from ._description import describe

__all__ = [
    "BloomFilter",
    "Error",
    "FormatError",
    "InDoubtError",
    "IncompatibleError",
    "KeyFormError",
    "OverfilledWarning",
    "Presence",
    "Size",
    "StoreError",
    "load",
    "open",
    "open_shared",
    "recover",
    "size_of",
]
__version__ = _bloomery.version
# StoreErrors that are Python's own errors, too: under their names here, for pickles, and not in __all__.
globals().update(_bloomery.system_errors)

# What _many() is asked for.
_PRESENCE, _FOUND, _NEW = range(3)
_OWN_SLOTS = ("__weakref__", "_mode", "_shared_path")


class BloomFilter(_bloomery.Filter):
    """BloomFilter(capacity, rate=0.01, *, kind="blocked", keys=None, seed=0, secret=False, ...)

    An empty filter in memory that holds ``capacity`` keys at ``rate`` false positives; it goes on
    beyond, at a rising rate, and says so once with an :class:`OverfilledWarning`. Two filters are
    equal where their bits are, and mean the same.

    ``kind``: ``"blocked"`` (the fastest), ``"classic"`` (the smallest), ``"counting"`` (keys can be
    removed), ``"scalable"`` (grows; ``expansion``, ``tightening``), ``"windowed"`` (forgets;
    ``window``, a timedelta or ``"24h"``, or ``window_ms``; ``generations``), ``"classic-counting"``; ``"static"`` ones come of
    :meth:`build`. ``format`` instead makes another system's: ``"guava"``, ``"redisson"``, ...,
    with ``settings`` as ``"name=value&name=value"``.

    ``keys``: how they are written, as the command's ``--as``: ``"text"``, ``"i64"``, ``"u64"``,
    ``"hex"``, ... ``secret``: hashed under a key of the system's, where strangers choose the keys.
    ``hash``: ``"product"``; ``"fold"``, of blocked filters, faster for one integer a call;
    ``"aes"``, which processors with VAES do faster and those without AES much slower; or
    ``"xxh3"``, as earlier versions did.

    >>> f = BloomFilter(1000, 0.001, kind="counting", keys="i64")
    >>> f.update(range(10))
    10
    >>> f.remove(3)
    True
    >>> 3 in f, 4 in f, len(f)
    (False, True, 9)
    """

    __slots__ = _OWN_SLOTS

    @classmethod
    def build(cls, batch, /, rate=0.01, *, capacity=0, **options):
        """A filter of all keys of a batch, which is the only way to a static one.

        >>> f = BloomFilter.build(["alice", "bob"], 0.01, kind="static")
        >>> "alice" in f, "carol" in f
        (True, False)
        """
        return cls._build(batch, capacity, rate, **options)

    @classmethod
    def load(cls, location, *, keys=None):
        """The whole filter in memory, on its own from then on. Locations are those of :func:`open`.

        >>> BloomFilter(1000, keys="text").save("users.bloom")
        >>> "alice" in BloomFilter.load("users.bloom")
        False
        """
        return cls._load(location, keys)

    @classmethod
    def from_bytes(cls, data):
        """What :meth:`to_bytes` gave, or a whole file of ours."""
        return cls._from_bytes(data)

    def to_bytes(self):
        """The bytes of a file of ours. Of a secret filter they have its key."""
        return self._to_bytes()

    def update(self, *batches):
        """Adds the keys of each batch, and says how many were new.

        A batch is an array of NumPy (integers, ``V`` and ``U``; ``S`` whose last bytes are not
        zero), what becomes one as a Series of pandas does, any other buffer of integers, an array
        or stream of Arrow (strings, binaries, integers), all of which are read where they lie if
        they can be; or an iterable. Where this raises, whatever the reason, any part of the keys
        may be in, and all that is not says ``True`` until :meth:`acknowledge`.

        >>> import array
        >>> f = BloomFilter(1000)
        >>> f.update(array.array("q", [1, 2, 3]), [3, 4])
        4
        """
        return self._update(*batches)

    def add_many(self, keys):
        """Adds the keys of a batch, and says of each whether it was new.

        >>> BloomFilter(1000).add_many(["a", "b", "a"])
        [True, True, False]
        """
        return shaped(keys, *self._many(keys, _NEW, None, None), "bool")

    def contains(self, key, *, timeout=None, behind=None):
        """``key in self``, and ``True`` where a server does not say it within so many seconds.

        ``behind`` is a fence, ``(source, position)``, as ``GET /fence`` of ``bloomery follow``
        answers it once the question has begun: ``True`` also where the filter is not so far.
        """
        if timeout is None and behind is None:
            return key in self
        return self.contains_many((key,), timeout=timeout, behind=behind)[0]

    def contains_many(self, keys, *, timeout=None, behind=None):
        """``key in self`` of each key of a batch, or :meth:`contains`.

        A list where an iterable was given, an array of bool where one of NumPy or a Series was, else
        a ``memoryview`` of bool.

        >>> f = BloomFilter(1000)
        >>> f.add("a")
        True
        >>> f.contains_many(["a", "b"])
        [True, False]
        """
        return shaped(keys, *self._many(keys, _FOUND, timeout, behind), "bool")

    def presence(self, key):
        """As ``key in self``, but tells "maybe" and "nobody knows" apart.

        >>> BloomFilter(1000).presence("a")
        <Presence.ABSENT: 3>
        """
        return Presence(self._presence(key))

    def presence_many(self, keys, *, timeout=None, behind=None):
        """The numbers of :class:`Presence` of each key of a batch, as bytes or NumPy's uint8.

        UNKNOWN where a server does not say it within ``timeout`` seconds, and for ABSENT where the
        filter has not come to the fence ``behind`` (:meth:`contains`).

        >>> BloomFilter(1000).presence_many(["a", "b"]).tolist()
        [3, 3]
        """
        return shaped(keys, *self._many(keys, _PRESENCE, timeout, behind), "uint8")

    def remove(self, key):
        """Takes out one add of the key, of a counting filter. KeyError where it is not there.

        Returns whether it could: False for a key that stays for ever, as it was added 15 times more
        than it was removed.

        InDoubtError where it is not, and something failed before: see :meth:`acknowledge`. Only of
        what was added: a key that is there by chance takes others with it.
        """
        could = self._erase(key)
        if could is None:
            raise KeyError(key)
        return could

    def discard(self, key):
        """As :meth:`remove`, without these errors: False also where the key is not there."""
        try:
            return bool(self._erase(key))
        except InDoubtError:
            return False

    def clear(self):
        """Takes out every key."""
        self._clear()

    def acknowledge(self):
        """After a batch or ``|=`` that raised, or an add that failed in a file or server.

        Believes the filter again, without the keys that were lost.

        >>> f = BloomFilter(1000)
        >>> f.update(["a", None, "b"])
        Traceback (most recent call last):
            ...
        TypeError: a key is a str, bytes or an int, not NoneType
        >>> "b" in f
        True
        >>> f.acknowledge()
        >>> "b" in f
        False
        """
        self._acknowledge()

    def copy(self):
        """Another filter with the same keys, in memory. A subclass's attributes are its, too."""
        return set_attributes(self._copy(), attributes_of(self, _OWN_SLOTS))

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        made = memo[id(self)] = self._copy()
        return set_attributes(made, copy.deepcopy(attributes_of(self, _OWN_SLOTS), memo))

    def union(self, *others):
        """Another filter, in memory, with the keys of all of them: filters, or batches of keys.

        >>> a, b = BloomFilter(1000), BloomFilter(1000)
        >>> a.add("x"), b.add("y")
        (True, True)
        >>> a.union(b, ["z"]).contains_many(["x", "y", "z", "w"])
        [True, True, True, False]
        """
        all_keys = self.copy()
        for other in others:
            all_keys._take(other)
        return all_keys

    def _take(self, other):
        if isinstance(other, _bloomery.Filter):
            self._merge(other)
        else:
            self._update(other)

    def __or__(self, other):
        """The keys of both: of another filter, or of any iterable or array.

        >>> a = BloomFilter(1000)
        >>> (a | ["x", "y"]).contains_many(["x", "y", "z"])
        [True, True, False]
        """
        return self.union(other) if has_keys(other) else NotImplemented

    __ror__ = __or__

    def __ior__(self, other):
        if not has_keys(other):
            return NotImplemented
        self._take(other)
        return self

    def __reduce__(self):
        if getattr(self, "_shared_path", None) is not None:
            return (open_shared, (self._shared_path,))
        if self._is_elsewhere:
            raise TypeError("what is open elsewhere is not pickled: copy() it into memory")
        return (type(self)._from_bytes, (self._to_bytes(),), attributes_of(self, _OWN_SLOTS))

    def save(self, location, *, must_be_new=False):
        """Puts a file there in one step, or a filter into a server; see :func:`open`."""
        self._save(location, must_be_new)

    def flush(self):
        """Returns when what was added to an open file or server is there to stay."""
        self._flush()

    def close(self):
        """Gives it back, and flushes before what is open elsewhere."""
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if self.closed:
            return
        try:
            if kind is None and self._is_elsewhere:
                self._flush()
        finally:
            self._close()

    def info(self):
        """What it is, as a dict with the names of ``bloomery info --json``. Reads every bit.

        >>> BloomFilter(1000, kind="classic").info()["probe_count"]
        7
        """
        return json.loads(self._info())

    @property
    def predicted_rate(self):
        """The rate of false positives now, by the bits as they are. Reads every bit.

        >>> BloomFilter(1000, 0.01).predicted_rate
        0.0
        """
        info = self.info()
        return float(info["predicted_rate"]) if "predicted_rate" in info else self.copy().predicted_rate

    __repr__ = describe


def open(location, mode="r", *, keys=None, forgetting=False, whole=False):
    """A filter where it lives: a file, which is mapped, or a server.

    ``location`` is what the command takes: ``users.bloom``, ``guava:users.bin``,
    ``bitmap:redis://host#users``, ``bf:redis://host#users``. ``mode``: ``"r"``, or ``"r+"`` to add
    to it, what stays after ``flush()`` or the end of ``with``. ``keys``: how they are written,
    where it cannot say so. ``forgetting``: take also filters whose keys go again, windowed and
    counting, whose ``False`` means "not any more". ``whole``: read and check a file of ours before
    the first answer.

    >>> import pybloomery
    >>> pybloomery.BloomFilter(1000, keys="text").save("users.bloom")
    >>> with pybloomery.open("users.bloom", "r+") as users:
    ...     users.add("alice")
    True
    >>> "alice" in pybloomery.open("users.bloom")
    True
    """
    if mode not in ("r", "r+"):
        raise ValueError(f'mode is "r" or "r+", not {mode!r}')
    flags = _bloomery.WRITE if mode == "r+" else _bloomery.READ
    flags |= _bloomery.FORGETTING if forgetting else 0
    flags |= _bloomery.WHOLE if whole else 0
    opened = BloomFilter._open(location, flags, keys)
    opened._mode = mode
    return opened


def open_shared(path, *, keys=None):
    """One filter for all processes of this machine, in a file of ours.

    Any number of processes, whatever started them, add to it and ask it at once; what one has added
    none calls absent, even if it is killed. Open it in each worker, or once before ``fork()``: a
    child goes on with it and closes its own. It is pickled as its path, which the other process
    opens. The last to close it makes the file whole again; ``bloomery seal`` does where that one
    was killed. After a restart of the machine a file that was not is refused.

    Blocked and classic filters, on a disk of the machine or in ``/dev/shm``.

    >>> import pybloomery
    >>> pybloomery.BloomFilter(1000).save("seen.bloom")
    >>> with pybloomery.open_shared("seen.bloom") as mine, pybloomery.open_shared("seen.bloom") as other:
    ...     mine.add("alice"), "alice" in other
    (True, True)
    """
    shared = BloomFilter._open(path, _bloomery.SHARED, keys)
    shared._shared_path = os.path.abspath(path)
    shared._mode = "shared"
    return shared


def load(location, *, keys=None):
    """The whole filter in memory, on its own from then on. Locations are those of :func:`open`."""
    return BloomFilter._load(location, keys)


def recover(path):
    """Makes a file of ours whole that its writer did not close, as it was killed or the power went.

    The filter then has the keys whose bits came to the disk. Add again what was added after the
    last ``flush()``. Nothing happens to a file that was closed.
    """
    _bloomery.recover(path)


def size_of(capacity, rate=0.01, **options):
    """What ``BloomFilter(capacity, rate, ...)`` would take.

    >>> size_of(900_000_000, 0.001, kind="classic")
    Size(bit_count=12939875456, probe_count=10, lines_per_key=0)
    >>> size_of(1_000_000, 0.01, format="redisson")
    Size(bit_count=9585058, probe_count=7, lines_per_key=0)
    """
    return Size(*_bloomery.size_of(capacity, rate, **options))
