// SPDX-License-Identifier: Apache-2.0
// What people of the language expect beside keys: clones, subclasses, messages, and entries that wait for init().
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

import { bloomery, packageFolder, required } from './support.mjs';

const { BlockedFilter, CountingFilter, Filter, StaticFilter } = bloomery;
const module = path.join(packageFolder, 'bloomery.wasm');

test('what would lose a filter in silence throws', () => {
  for (const filter of [new BlockedFilter({ capacity: 10 }), StaticFilter.of(['a'])]) {
    assert.throws(() => JSON.stringify({ filter }), { name: 'TypeError', message: /toBytes\(\)/ });
    assert.throws(() => structuredClone(filter), { name: 'DataCloneError' });
    assert.throws(() => structuredClone({ deep: [filter] }), { name: 'DataCloneError' });
    const { port1 } = new MessageChannel();
    assert.throws(() => port1.postMessage(filter), { name: 'DataCloneError' });
    port1.close();
  }
});

test('options in the place of an object are answered by what is expected', () => {
  const expected = { name: 'TypeError', message: /^options: an object is expected, \{ capacity: 1000, rate: 0\.01 \}, and not / };
  for (const make of [
    () => new BlockedFilter(1000, 0.01),
    () => new Filter(1000),
    () => new CountingFilter('1000'),
    () => new BlockedFilter(),
    () => new BlockedFilter(null),
    () => BlockedFilter.of(['a'], 0.01),
    () => StaticFilter.of(['a'], 0.01),
  ]) {
    assert.throws(make, expected);
  }
});

test('what is typed first and is no key is answered by what is', () => {
  const filter = new BlockedFilter({ capacity: 1000 });
  const stream = { async *[Symbol.asyncIterator]() {} };
  for (const many of [stream, Promise.resolve(['a'])]) {
    assert.throws(() => filter.hasMany(many), { name: 'TypeError', message: /createInterface/ });
  }
  assert.throws(() => new BlockedFilter({ capacity: '10' }), { name: 'RangeError', message: /^capacity: "10"; / });
});

test('a filter is printed as what it is', () => {
  const filter = new BlockedFilter({ capacity: 1000 });
  filter.add('a');
  const said = "BlockedFilter { kind: 'blocked', capacity: 1000, rate: 0.01, count: 1, keys: 'text' }";
  assert.equal(inspect(filter), said);
  assert.match(inspect({ filter, all: Filter.prototype }), /count: 1/);
  filter.free();
  assert.equal(inspect(filter), 'BlockedFilter {}');
});

test('eight bytes that are no text may be an integer', () => {
  const eight = new Uint8Array([42, 0, 0, 0, 0, 0, 0, 0]);
  for (const add of [(filter) => filter.add(eight), (filter) => filter.addMany([eight]), (filter) => filter.addMany(eight, { width: 8 })]) {
    for (const before of [[], ['alice']]) {
      const filter = new BlockedFilter({ capacity: 1000 });
      filter.addMany(before);
      add(filter);
      assert.equal(filter.keys, 'unknown');
      assert.equal(Filter.fromBytes(filter.toBytes()).keys, 'unknown');
      assert.deepEqual([filter.has(42), filter.has('42'), filter.has(eight), filter.has(43)], [true, true, true, false]);
    }
  }
  const texts = new BlockedFilter({ capacity: 1000 });
  texts.add(Buffer.from('12345678'));
  assert.equal(texts.keys, 'text');
});

test('a copy is of the same class and has the same properties', () => {
  class Users extends CountingFilter {
    constructor(options) {
      super(options);
      this.name = 'users';
    }
    greet() {
      return `${this.name}: ${this.count}`;
    }
  }
  const users = new Users({ capacity: 100 });
  users.add('alice');
  users.name = 'people';
  const copy = users.copy();
  assert.ok(copy instanceof Users);
  assert.equal(copy.greet(), 'people: 1');
  copy.delete('alice');
  assert.equal(users.has('alice'), true);
  class Any extends Filter {}
  assert.ok(new Any({ capacity: 10, kind: 'classic' }).copy() instanceof Any);
});

test('a filter is freed where its scope ends', () => {
  const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
  const filter = new BlockedFilter({ capacity: 10 });
  filter[dispose]();
  filter[dispose]();
  assert.throws(() => filter.has('a'), { code: 'FREED' });
});

test('entries without an await of their own have the same classes', async () => {
  const imported = await import(pathToFileURL(path.join(packageFolder, 'node_init.mjs')).href);
  const lazy = createRequire(import.meta.url)(path.join(packageFolder, 'node_init.cjs'));
  assert.equal((await imported.init()).BlockedFilter, BlockedFilter);
  assert.equal(imported.BlockedFilter, BlockedFilter);
  assert.equal(lazy.initSync().Filter, Filter);
  assert.equal(lazy.Filter, Filter);
  assert.equal((await bloomery.init()).Filter, Filter);
  assert.equal(required.initSync(), required);
});

// A bundle does not carry the module along.
test('bytes are given by hand where there is no file', async (t) => {
  for (const [name, give] of [
    ['init.cjs', (bytes) => bytes],
    ['init.mjs', (bytes) => new WebAssembly.Module(bytes)],
    ['node_init.cjs', (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)],
    ['node_init.mjs', (bytes) => Promise.resolve(bytes)],
  ]) {
    await t.test(name, async () => {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'bloomery-'));
      try {
        cpSync(packageFolder, folder, { recursive: true });
        unlinkSync(path.join(folder, 'bloomery.wasm'));
        const entry = await import(pathToFileURL(path.join(folder, name)).href);
        const { init, initSync } = entry.default ?? entry;
        if (name.endsWith('.cjs')) {
          assert.throws(() => entry.default.Filter, /Filter is there after await init\(\)/);
        } else {
          assert.equal(entry.Filter, undefined);
        }
        await assert.rejects(init());
        assert.throws(() => initSync());
        await assert.rejects(init(new Uint8Array(8)));
        const made = await init(give(readFileSync(module)));
        const filter = made.BlockedFilter.of(['alice']);
        assert.deepEqual([filter.has('alice'), filter.has('bob')], [true, false]);
        assert.equal((entry.default ?? entry).BlockedFilter, made.BlockedFilter);
        assert.equal(initSync(), made);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});

test('no file for import names require, and none for browsers a module of node', () => {
  for (const name of ['node.mjs', 'node_init.mjs', 'init.mjs', 'browser.mjs', 'core.mjs', 'core.cjs', 'files.cjs']) {
    const text = readFileSync(path.join(packageFolder, name), 'utf8').replaceAll(/^ *\/\/.*$/gm, '');
    assert.doesNotMatch(text, /\brequire\b/, name);
    if (!name.startsWith('node')) assert.doesNotMatch(text, /node:/, name);
    if (name.includes('init')) assert.doesNotMatch(text, /^(const|let)[^\n]*= await|^await/m, name);
  }
});
