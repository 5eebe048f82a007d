// SPDX-License-Identifier: Apache-2.0
// What each kind of filter promises, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import vm from 'node:vm';

import { bloomery, isCode, required, texts } from './support.mjs';

const { Filter, BlockedFilter, StaticFilter } = bloomery;
const GROWING = ['ClassicFilter', 'CountingFilter', 'ScalableFilter', 'WindowedFilter'];
const KINDS = ['BlockedFilter', ...GROWING];
const options = { capacity: 2000, rate: 0.01 };
const members = texts(2000, 'member:');
const others = texts(20000, 'other:');

test('import and require give the same classes', () => {
  assert.equal(required.BlockedFilter, BlockedFilter);
  assert.equal(required.version, bloomery.version);
});

for (const name of KINDS) {
  const Class = bloomery[name];

  test(`${name} denies no key that was added, one at a time or many`, () => {
    const one = new Class(options);
    for (const key of members) one.add(key);
    const many = new Class(options);
    many.addMany(members);
    for (const filter of [one, many]) {
      assert.ok(members.every((key) => filter.has(key)));
      assert.ok(filter.hasMany(members).every((answer) => answer === 1));
      const found = filter.hasMany(others);
      assert.deepEqual([...found], others.map((key) => (filter.has(key) ? 1 : 0)));
      // 200 are expected: eight deviations of a binomial.
      assert.ok(found.filter((answer) => answer === 1).length < 315);
      assert.ok(filter instanceof Class && filter instanceof Filter);
      assert.equal(filter.rate, 0.01);
      assert.ok(filter.count > 1900 && filter.count <= 2000);
    }
    assert.deepEqual(one.toBytes(), many.toBytes());
  });

  test(`${name} comes back from its bytes, and as a copy of its own`, () => {
    const filter = new Class(options);
    filter.addMany(members);
    const again = Filter.fromBytes(filter.toBytes());
    assert.ok(again instanceof Class);
    assert.ok(again.hasMany(members).every((answer) => answer === 1));
    const copy = filter.copy();
    assert.ok(copy instanceof Class);
    copy.clear();
    assert.equal(copy.has(members[0]), false);
    assert.equal(filter.has(members[0]), true);
    assert.throws(() => StaticFilter.fromBytes(filter.toBytes()), isCode('INCOMPATIBLE'));
  });
}

test('a static filter is built of all its keys', () => {
  const filter = StaticFilter.of(members, { rate: 0.001 });
  assert.ok(filter instanceof StaticFilter);
  assert.ok(filter.hasMany(members).every((answer) => answer === 1));
  assert.ok(filter.hasMany(others).filter(Boolean).length < 100);
  assert.throws(() => filter.add('another'));
  const ids = StaticFilter.of(new BigUint64Array([1n, 2n ** 64n - 1n]));
  assert.equal(ids.has(2n ** 64n - 1n), true);
  assert.equal(StaticFilter.of([1, 2, 3]).has(3), true);
  assert.throws(() => StaticFilter.of([1, 'a']), TypeError);
});

test('of() makes a filter as large as its keys want', () => {
  const filter = BlockedFilter.of(new Set(members), { rate: 0.001 });
  assert.equal(filter.capacity, 2000);
  assert.ok(filter.hasMany(members).every((answer) => answer === 1));
});

test('keys that can be read only once are all there', () => {
  function* some() {
    yield* members;
  }
  for (const filter of [
    BlockedFilter.of(some()),
    StaticFilter.of(some()),
    StaticFilter.of(new Set(members)),
    BlockedFilter.of(new Map(members.map((key) => [key, 0])).keys()),
  ]) {
    assert.ok(filter.hasMany(some()).every((answer) => answer === 1));
    assert.equal(filter.hasMany(some()).length, 2000);
  }
});

test('code of the caller that runs between keys changes none of them', () => {
  const other = new BlockedFilter(options);
  class Meddler extends Array {
    *[Symbol.iterator]() {
      for (let i = 0; i < this.length; ++i) {
        other.add(`other ${i}`);
        yield this[i];
      }
    }
  }
  const filter = new BlockedFilter(options);
  filter.addMany(Meddler.from(members));
  assert.ok(filter.hasMany(members).every((answer) => answer === 1));
  function* freeing() {
    yield 'a';
    filter.free();
    yield 'b';
  }
  assert.throws(() => filter.addMany(freeing()), isCode('FREED'));
});

test('a class of the caller stays his', () => {
  class Names extends BlockedFilter {}
  const names = Names.fromBytes(new Names(options).toBytes());
  assert.ok(names instanceof Names);
  assert.ok(Names.of(['a']) instanceof Names);
});

test('merged filters have the keys of both', () => {
  const a = new BlockedFilter(options);
  const b = new BlockedFilter(options);
  a.add('a');
  b.add('b');
  assert.equal(a.merge(b), a);
  assert.ok(a.has('a') && a.has('b') && !b.has('a'));
  assert.throws(() => a.merge(new BlockedFilter({ capacity: 9 })), isCode('INCOMPATIBLE'));
});

test('a counting filter lets keys go', () => {
  const filter = new bloomery.CountingFilter(options);
  filter.add('guest');
  assert.equal(filter.delete('guest'), true);
  assert.equal(filter.has('guest'), false);
  assert.equal(filter.delete('guest'), false);
  assert.throws(() => new BlockedFilter(options).delete('guest'), isCode('BAD_ARGUMENT'));
});

test('a key that was added too often stays for ever, and tryDelete() says so', () => {
  for (const [often, once] of [['guest', 'host'], [7, 8], [2n ** 62n, 8n], [new Uint8Array(3), new Uint8Array(4)]]) {
    const filter = new bloomery.CountingFilter(options);
    for (let i = 0; i < 20; ++i) filter.add(often);
    for (let i = 0; i < 20; ++i) assert.equal(filter.tryDelete(often), 'saturated');
    assert.equal(filter.delete(often), true);
    assert.ok(filter.has(often));
    filter.add(once);
    assert.equal(filter.tryDelete(once), 'deleted');
    assert.equal(filter.tryDelete(once), 'absent');
    assert.throws(() => filter.tryDelete(often, once), TypeError);
  }
  assert.throws(() => new BlockedFilter(options).tryDelete('guest'), isCode('BAD_ARGUMENT'));
});

test('a window forgets, by its count and by the clock', async () => {
  const last = new bloomery.WindowedFilter({ capacity: 100 });
  last.addMany(texts(1000, 'k'));
  assert.ok(last.has('k999') && !last.has('k1'));
  const now = new bloomery.WindowedFilter({ capacity: 100, windowMs: 40 });
  now.add('now');
  assert.equal(now.has('now'), true);
  await new Promise((resolve) => setTimeout(resolve, 120));
  assert.equal(now.has('now'), false);
});

test('keys are UTF-8, bytes and integers, alike in every call', () => {
  const keys = ['', 'a', 'ä', '日本', '😀', 'x'.repeat(47), 'é'.repeat(60), 'y'.repeat(100_000), 'z'.repeat(300_000)];
  const filter = new BlockedFilter(options);
  filter.addMany(keys);
  const one = new BlockedFilter(options);
  for (const key of keys) one.add(Buffer.from(key)); // b"ab" and "ab" are one key
  assert.deepEqual(one.toBytes(), filter.toBytes());
  for (const key of keys) {
    assert.ok(filter.has(key) && filter.has(new TextEncoder().encode(key)));
  }
  assert.deepEqual([...filter.hasMany(keys)], keys.map(() => 1));
  filter.add('\ud800'); // half a character is written as U+FFFD
  assert.ok(filter.has('\ufffd') && filter.has('\ud800') && filter.hasMany(['\ud801'])[0]);
});

test('integers are one key however they are given', () => {
  const integers = [0, 1, -1, 42, 2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  const filter = new BlockedFilter(options);
  filter.addMany(integers);
  assert.equal(filter.keys, 'i64');
  for (const integer of integers) assert.ok(filter.has(integer) && filter.has(BigInt(integer)));
  const one = new BlockedFilter(options);
  for (const integer of integers) one.add(integer);
  const wide = new BlockedFilter(options);
  wide.addMany(BigInt64Array.from(integers, BigInt));
  assert.deepEqual(one.toBytes(), filter.toBytes());
  assert.deepEqual(wide.toBytes(), filter.toBytes());
  for (const Type of [Int8Array, Int16Array, Uint16Array, Int32Array, Uint32Array]) {
    const array = new Type(5000).map((_, i) => 3 * i - 100);
    const narrow = new BlockedFilter(options);
    narrow.addMany(array);
    const spelled = new BlockedFilter(options);
    spelled.addMany([...array]);
    assert.deepEqual(narrow.toBytes(), spelled.toBytes(), Type.name);
    assert.ok(narrow.hasMany(array).every((answer) => answer === 1), Type.name);
  }
  const large = new BlockedFilter({ ...options, keys: 'u64' });
  large.add(2n ** 64n - 1n);
  assert.ok(large.has(2n ** 64n - 1n) && large.hasMany([2n ** 64n - 1n])[0]);
});

test('fixed-width keys lie side by side', () => {
  const digests = new Uint8Array(32 * 9000).map((_, i) => (i * 2654435761) >>> 24);
  const filter = new BlockedFilter({ capacity: 9000 });
  filter.addMany(digests, { width: 32 });
  assert.ok(filter.hasMany(digests, { width: 32 }).every((answer) => answer === 1));
  assert.ok(filter.has(digests.subarray(32 * 8999)));
  assert.throws(() => filter.addMany(digests.subarray(1), { width: 32 }), RangeError);
});

test('what is no key is refused, and answers nothing', () => {
  const refused = [3.7, NaN, Infinity, 2 ** 53, 2n ** 64n, -(2n ** 63n) - 1n, null, undefined, {}, [], true, new Float64Array(1)];
  for (const key of refused) {
    const filter = new BlockedFilter(options);
    for (const call of ['add', 'has', 'presence']) {
      assert.throws(() => filter[call](key), (error) => error instanceof TypeError || error instanceof RangeError);
    }
    assert.throws(() => filter.hasMany([key]), (error) => error instanceof TypeError || error instanceof RangeError);
    assert.equal(filter.has('a'), false); // a key that was refused by itself leaves no doubt
  }
  const filter = new BlockedFilter(options);
  for (const keys of ['text', new Uint8Array(8), new Float64Array(8), new Float32Array(8), 7, null]) {
    assert.throws(() => filter.hasMany(keys), TypeError);
  }
});

test('a filter of texts takes no integers, and one of integers no bytes', () => {
  const names = new BlockedFilter(options);
  names.add('alice');
  assert.throws(() => names.has(7), isCode('WRONG_KEYS'));
  assert.throws(() => names.hasMany([7]), isCode('WRONG_KEYS'));
  const ids = new BlockedFilter(options);
  ids.add(7);
  assert.throws(() => ids.has(new Uint8Array(8)), isCode('WRONG_KEYS'));
  assert.throws(() => ids.has('seven'), isCode('BAD_ARGUMENT'));
  assert.equal(ids.has('7'), true); // as the command reads it
});

test('a batch that broke leaves doubt until somebody says that he knows', () => {
  const filter = new BlockedFilter(options);
  assert.throws(() => filter.addMany(['a', 'b', 3.7]), TypeError);
  assert.equal(filter.has('never'), true);
  assert.equal(filter.presence('never'), 'unknown');
  assert.deepEqual([...filter.hasMany(['never'])], [1]);
  assert.throws(() => filter.toBytes(), isCode('IN_DOUBT'));
  assert.throws(() => filter.copy(), isCode('IN_DOUBT'));
  assert.deepEqual([filter.kind, filter.rate, filter.secret], ['blocked', 0.01, false]);
  filter.acknowledge();
  assert.equal(filter.presence('never'), 'absent');
});

test('a freed filter says so', () => {
  const filter = new BlockedFilter(options);
  filter.free();
  filter.free();
  for (const call of ['has', 'add', 'toBytes', 'info', 'clear', 'copy']) {
    assert.throws(() => filter[call]('a'), isCode('FREED'));
  }
  for (const name of ['kind', 'rate', 'secret', 'capacity']) assert.throws(() => filter[name], isCode('FREED'));
  if (Symbol.dispose) assert.equal(typeof filter[Symbol.dispose], 'function');
});

test('options are looked at before anything is made', () => {
  for (const wrong of [
    undefined, {}, { capacity: 0 }, { capacity: -1 }, { capacity: 1.5 }, { capacity: '9' },
    { capacity: 9, rate: 0 }, { capacity: 9, rate: 1 }, { capacity: 9, rate: NaN },
    { capacity: 9, rate: '0.1' }, { capactiy: 9 }, { capacity: 9, kind: 'counting' },
    { capacity: 9, keys: 'i65' }, { capacity: 2 ** 50 }, { capacity: 2n ** 64n },
  ]) {
    assert.throws(() => new BlockedFilter(wrong), Error, JSON.stringify(wrong, (_, v) => String(v)));
  }
  assert.throws(() => new Filter({ kind: 'blacked', capacity: 9 }), isCode('BAD_ARGUMENT'));
  assert.equal(new Filter({ kind: 'counting', capacity: 9 }).kind, 'counting');
});

test('a filter that the address space does not hold is refused, and others live on', () => {
  // 2^32 bytes and some: what is cut to 32 bits would be a small filter.
  for (const capacity of [3_000_000_000, 3_586_000_000, 4_000_000_000, 9_000_000_000]) {
    assert.throws(() => new BlockedFilter({ capacity }), isCode('BAD_ARGUMENT', /memory/));
  }
  const small = new BlockedFilter(options);
  small.add('a');
  const large = new BlockedFilter({ capacity: 60_000_000 }); // the memory grows
  large.add('b');
  assert.ok(small.has('a') && large.has('b') && !large.has('a'));
  large.free();
});

test('what a class of the caller says of its bytes is not believed', () => {
  class Short extends Uint8Array {
    get length() {
      return 2;
    }
  }
  class Few extends Int32Array {
    static get [Symbol.species]() {
      return class extends Int32Array {
        constructor() {
          super(4);
        }
      };
    }
  }
  const filter = new BlockedFilter(options);
  filter.addMany([new Short(10), 'zz', new Short(10)]);
  assert.ok(filter.has(new Uint8Array(10)) && filter.has(new Short(10)));
  assert.ok(filter.has('zz') && !filter.has(new Uint8Array(2)));
  filter.add(new Short(3_000_000).fill(7));
  assert.ok(filter.has(new Uint8Array(3_000_000).fill(7)));
  filter.addMany(new Short(20), { width: 10 });
  const integers = new BlockedFilter({ capacity: 10_000 });
  integers.addMany(Few.from({ length: 8192 }, (_, i) => i));
  for (let i = 0; i < 8192; ++i) assert.ok(integers.has(i), `${i}`);
  assert.ok(StaticFilter.of([new Short(10)]).has(new Uint8Array(10)));
});

test('secret filters differ from each other', () => {
  const one = new BlockedFilter({ ...options, secret: true });
  const other = new BlockedFilter({ ...options, secret: true });
  one.add('a');
  other.add('a');
  assert.notDeepEqual(one.toBytes(), other.toBytes());
  assert.equal(one.info().secret, true);
  assert.equal(Filter.fromBytes(one.toBytes()).has('a'), true);
});

test('what nobody holds any more gives its memory back', { skip: !globalThis.gc && 'run node with --expose-gc' }, async () => {
  for (let i = 0; i < 300; ++i) {
    new BlockedFilter({ capacity: 20_000_000 }); // 25 MB each: together more than there can be
    if (i % 20 === 0) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
});

test('what only looks like bytes is no key, and bytes of another realm are', () => {
  const filter = new BlockedFilter({ capacity: 100 });
  const lying = (length) => new Proxy(new Uint8Array(3), { get: (of, name) => (name === 'length' ? length() : of[name]) });
  const hostile = [
    lying(() => {
      filter.free();
      return 3;
    }),
    lying(() => 1e9),
    Object.create(Uint8Array.prototype, { length: { value: 1e9 } }),
  ];
  for (const key of hostile) {
    assert.throws(() => filter.add(key), TypeError);
    assert.throws(() => filter.has(key), TypeError);
    assert.throws(() => filter.hasMany([key]), TypeError);
    assert.throws(() => Filter.fromBytes(key), TypeError);
  }
  const theirs = vm.runInNewContext('new Uint8Array([1, 2, 3])');
  assert.equal(filter.add(theirs), true);
  assert.equal(filter.has(new Uint8Array([1, 2, 3])), true);
  const bytes = filter.toBytes();
  const copied = vm.runInNewContext('(bytes) => { const all = new Uint8Array(bytes.length); all.set(bytes); return all.buffer }')(bytes);
  assert.deepEqual(Filter.fromBytes(copied).toBytes(), bytes);
});

const canShrink = ArrayBuffer.prototype.resize !== undefined;
test('a view that its buffer has become too small for is no empty one', { skip: !canShrink && 'no resize()' }, () => {
  const shrunk = (Type) => {
    const buffer = new ArrayBuffer(16, { maxByteLength: 16 });
    const view = new Type(buffer, 8, 8 / Type.BYTES_PER_ELEMENT);
    buffer.resize(8);
    return view;
  };
  const filter = new BlockedFilter({ capacity: 100 });
  assert.throws(() => filter.add(shrunk(Uint8Array)), TypeError);
  assert.throws(() => filter.has(shrunk(Uint8Array)), TypeError);
  assert.throws(() => filter.hasMany(shrunk(BigInt64Array)), TypeError);
  assert.throws(() => filter.hasMany([shrunk(Uint8Array)]), TypeError);
  assert.throws(() => Filter.fromBytes(shrunk(Uint8Array)), TypeError);
  assert.equal(filter.has(''), false);
  assert.equal(filter.add(new Uint8Array(0)), true);
});

test('options are those that there are, and a seed keeps all its digits', () => {
  for (const name of ['toString', 'constructor', 'valueOf', 'hasOwnProperty', 'foo']) {
    assert.throws(() => new Filter({ capacity: 10, [name]: 'x' }), TypeError, name);
  }
  const most = 2n ** 64n - 1n;
  assert.equal(new Filter({ capacity: 10, seed: most }).info().seed, most);
  assert.equal(new Filter({ capacity: 10, seed: 7 }).info().seed, 7);
});
