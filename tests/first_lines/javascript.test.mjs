// SPDX-License-Identifier: Apache-2.0
// What people type first in JavaScript, and what they are told.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { bloomery } from '../../bindings/javascript/test/support.mjs';

const { BlockedFilter, CountingFilter, Filter } = bloomery;
const folder = mkdtempSync(path.join(os.tmpdir(), 'bloomery-'));
after(() => rmSync(folder, { recursive: true }));
const filterOf = (...keys) => BlockedFilter.of(keys, { capacity: 100 });

test('no key that is given beside another is lost without a word', () => {
  const filter = filterOf('alice');
  for (const lost of [
    () => filter.add('bob', 'carol'),
    () => filter.has('alice', 'carol'),
    () => filter.presence('alice', 'carol'),
    () => filter.addMany(['bob'], ['carol']),
    () => filter.addMany(['bob'], 'carol'),
    () => filter.hasMany(['alice'], ['carol']),
    () => filter.merge(filterOf('bob'), filterOf('carol')),
    () => CountingFilter.of(['bob', 'carol'], { capacity: 100 }).delete('bob', 'carol'),
  ]) {
    assert.throws(lost, TypeError, String(lost));
  }
});

test('what forEach() and its kin give beside an element is no key', () => {
  const filter = filterOf('alice');
  ['bob', 'carol'].forEach(filter.add, filter);
  new Set(['dave']).forEach(filter.add, filter);
  [filterOf('erin'), filterOf('frank')].forEach(filter.merge, filter);
  const names = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'];
  assert.deepEqual([...names, 'grace'].filter(filter.has, filter), names);
});

test('what is no key is named, with the call that was meant', () => {
  for (const [key, said] of [
    [['a'], /not an array: many are given to addMany\(\) and hasMany\(\)/],
    [new Date(0), /not Date/],
    [null, /not null/],
    [undefined, /not undefined/],
    [true, /not true/],
    [Symbol('x'), /not Symbol\(x\)/],
    [{}, /not Object/],
    [new ArrayBuffer(8), /not ArrayBuffer/],
    [3.7, /only safe integers are/],
  ]) {
    for (const call of ['add', 'has', 'presence']) assert.throws(() => filterOf('a')[call](key), { name: 'TypeError', message: said });
    assert.throws(() => filterOf('a').addMany([key]), { name: 'TypeError', message: said });
  }
  assert.throws(() => filterOf('a').addMany(new Map([['b', 1]])), /of a Map its keys\(\)/);
  assert.throws(() => filterOf('a').addMany(new String('bob')), /not String/);
});

test('a wrong number is one kind of error, and shown as it was given', () => {
  for (const [options, said] of [
    [{ capacity: 0 }, /^capacity: 0; a whole number from 1 to /],
    [{ capacity: -1 }, /^capacity: -1; a whole number from 1 to /],
    [{ capacity: '1000' }, /^capacity: "1000"; /],
    [{ capacity: 9, rate: 1 }, /^rate: 1; a number from 1e-25 to below 1 is allowed/],
    [{ capacity: 9, rate: '0.01' }, /^rate: "0.01"; /],
  ]) {
    assert.throws(() => new BlockedFilter(options), { name: 'RangeError', message: said });
  }
});

test('a file is named by a path or a URL', async () => {
  const url = pathToFileURL(path.join(folder, 'names.bloom'));
  await filterOf('alice').save(url);
  assert.ok((await Filter.open(url)).has('alice'));
  for (const file of [undefined, null, 7, {}]) await assert.rejects(filterOf('alice').save(file), /^TypeError: save: the path of a file or its URL/);
});

test('an option that the kind does not have is refused', () => {
  for (const options of [{ windowMs: 5 }, { generations: 4 }]) {
    assert.throws(() => new BlockedFilter({ capacity: 9, ...options }), /has no window; kind is to be windowed/);
  }
  for (const options of [{ expansion: 4 }, { tightening: 0.5 }]) {
    assert.throws(() => new BlockedFilter({ capacity: 9, ...options }), /does not grow; kind is to be scalable/);
  }
});

test('a URL is written in two ways', () => {
  const [plain, escaped] = ['http://a.com/caf\u00e9', 'HTTP://a.com:80/caf%c3%a9'];
  for (const [stored, asked] of [[plain, escaped], [escaped, plain]]) {
    const filter = new BlockedFilter({ capacity: 1000, rate: 1e-6, keys: 'text --normalise url' });
    filter.add(stored);
    assert.ok(filter.has(asked));
    assert.deepEqual([...filter.hasMany([asked, stored, 'http://a.com/th\u00e9'])], [1, 1, 0]);
    assert.equal(filter.presence('http://m\u00fcnchen.de/'), 'unknown');
    assert.throws(() => filter.add('http://m\u00fcnchen.de/'), /write it as the DNS does, with xn--/);
  }
});
