// SPDX-License-Identifier: Apache-2.0
// The files that all languages read and write.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

import { bloomery, golden, isCode, source, texts } from './support.mjs';

const { Filter, BlockedFilter, StaticFilter } = bloomery;
const folder = mkdtempSync(path.join(os.tmpdir(), 'bloomery-'));
after(() => rmSync(folder, { recursive: true }));

const members = texts(500, 'member:');
const files = readdirSync(path.join(source, 'tests/golden/native'));

test('golden files are asked and written as C++ wrote them', () => {
  assert.ok(files.length > 50);
  for (const file of files) {
    const filter = Filter.fromBytes(golden(`native/${file}`));
    const bytes = filter.toBytes();
    assert.deepEqual(Filter.fromBytes(bytes).toBytes(), bytes, file);
    const isOfTexts = filter.keys === 'unknown' && !file.startsWith('foreign') && !file.includes('by_time');
    if (!isOfTexts) continue;
    const own = file.includes('one_key') ? members.slice(0, 1) : members;
    assert.ok(filter.hasMany(own).every((answer) => answer === 1), file);
    assert.ok(own.every((key) => filter.has(key)), file);
    // The same bits come of the same keys.
    if (filter instanceof StaticFilter || file.includes('grown')) continue;
    const again = filter.copy();
    again.clear();
    assert.equal(again.has(own[0]), false, file);
    again.addMany(own);
    assert.deepEqual(again.toBytes(), bytes, file);
  }
});

test('texts of every length have the bits that C++ gave them', () => {
  const letter = (size, i) => String.fromCharCode(97 + ((7 * size + i) % 26));
  const all = Array.from({ length: 300 }, (_, n) => Array.from({ length: n + 1 }, (_, i) => letter(n + 1, i)).join(''));
  for (const hash of ['product', 'aes', 'xxh3', 'secret']) {
    const filter = Filter.fromBytes(golden(`texts/${hash}.bloom`));
    assert.deepEqual(all.filter((key) => !filter.has(key)), [], hash);
    for (const fill of [(made) => made.addMany(all), (made) => all.forEach((key) => made.add(key))]) {
      const made = filter.copy();
      made.clear();
      fill(made);
      assert.deepEqual(made.toBytes(), filter.toBytes(), hash);
    }
  }
});

// By programs in C++ that did not say how their keys are written.
test('texts and integers of files of unknown form are never absent', () => {
  const texts = ['alice', 'Ω', '42', '-7', '12345678'];
  const integers = [1000, -(10 ** 12), 77, 42, -7n, 12345678, -1, 2n ** 64n - 1n];
  for (const kind of ['blocked', 'classic', 'counting']) {
    const filter = Filter.fromBytes(golden(`unknown_form/${kind}.bloom`));
    assert.equal(filter.keys, 'unknown');
    for (const keys of [texts, texts.map((text) => Buffer.from(text)), integers, integers.map(String)]) {
      assert.deepEqual(keys.filter((key) => !filter.has(key)), [], kind);
      assert.deepEqual([...filter.hasMany(keys)], keys.map(() => 1), kind);
    }
    assert.deepEqual([...filter.hasMany(BigInt64Array.from(integers.map(BigInt)))], integers.map(() => 1));
    assert.deepEqual(['bob', '43', 43, -8].filter((key) => filter.has(key)), [], kind);
  }
  const counting = Filter.fromBytes(golden('unknown_form/counting.bloom'));
  assert.equal(counting.delete(42), true);
  assert.equal(counting.has('42'), false);
  assert.equal(counting.delete('1000'), true);
  assert.equal(counting.delete(1000), false);
});

test('bytes that are damaged are refused, and harm nobody', () => {
  for (const file of ['blocked.bloom', 'scalable_grown.bloom', 'static.bloom', 'fuse.bloom', 'windowed.bloom', 'foreign_guava.bloom']) {
    const whole = golden(`native/${file}`);
    for (let size = 0; size < whole.length; size += size < 300 ? 1 : 37) {
      assert.throws(() => Filter.fromBytes(whole.subarray(0, size)), isCode('BAD_FORMAT'), `${file} ${size}`);
    }
    for (let at = 0; at < whole.length; at += at < 300 ? 1 : 13) {
      const damaged = new Uint8Array(whole);
      damaged[at] ^= 1 << at % 8;
      assert.throws(() => Filter.fromBytes(damaged), isCode('BAD_FORMAT'), `${file} ${at}`);
    }
  }
  assert.throws(() => Filter.fromBytes('text'), TypeError);
  assert.ok(Filter.fromBytes(golden('native/blocked.bloom')).has('member:7'));
});

test('bytes of any length and content that claim to be a format end in an error or a filter', () => {
  let state = 12345;
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 16;
  const formats = ['guava', 'redisson', 'redisbloom', 'scrapy', 'leveldb', 'rocksdb', 'dcso', 'parquet', 'php', 'hutool', 'orestes', 'pyrebloom', 'gozero'];
  for (const format of formats) {
    for (let i = 0; i < 200; ++i) {
      const bytes = new Uint8Array(random() % 200).map(() => (random() % 3 === 0 ? 255 : random()));
      try {
        Filter.fromBytes(bytes, { format }).free();
      } catch (error) {
        assert.equal(error.name, 'BloomeryError', `${format}: ${error.stack}`);
        assert.notEqual(error.code, 'FAILED', `${format}: ${error.message}`);
      }
    }
  }
  assert.ok(new BlockedFilter({ capacity: 9 }).count === 0);
});

test('files of Guava are read, asked and written to the byte', () => {
  for (const one of JSON.parse(golden('foreign/guava.json')).filters) {
    if (one.funnel !== 'longFunnel' || one.serialized_b64 === undefined) continue;
    const bytes = Buffer.from(one.serialized_b64, 'base64');
    const filter = Filter.fromBytes(bytes, { format: 'guava' });
    assert.equal(filter.keys, 'text');
    assert.deepEqual(Buffer.from(filter.toBytes({ format: 'guava' })), bytes);
    const hash = createHash('sha256').update(filter.toBytes({ format: 'guava' })).digest('hex');
    assert.equal(hash, one.serialized_sha256);
  }
});

test('what a format does not say lies beside its bytes', () => {
  const [one] = JSON.parse(golden('foreign/redisson.json')).filters;
  const bytes = Buffer.from(one.string_b64, 'base64');
  const filter = Filter.fromBytes(bytes, { format: 'redisson', settings: one.config_hash, keys: 'text' });
  for (let i = one.insert_from; i < one.insert_to_exclusive; ++i) assert.ok(filter.has(`user:${i}`));
  const found = texts(one.probe_to_exclusive, 'user:').slice(one.probe_from);
  const present = found.filter((key) => filter.has(key)).map((key) => Number(key.slice(5)));
  assert.deepEqual(present, one.probe_indices_reported_present);
  assert.deepEqual(Buffer.from(filter.toBytes({ format: 'redisson' })), bytes);
  const settings = filter.settingsOf('redisson');
  assert.equal(settings.size, one.config_hash.size);
  assert.equal(settings.falseProbability, one.config_hash.falseProbability);
  assert.throws(() => new BlockedFilter({ capacity: 9 }).toBytes({ format: 'redisson' }), isCode('INCOMPATIBLE'));
  assert.throws(() => Filter.fromBytes(bytes, { format: 'redison' }), isCode('BAD_ARGUMENT'));
  const made = new Filter({ format: 'redisson', capacity: 200, rate: 0.03, keys: 'text' });
  for (let i = 0; i < 200; ++i) made.add(`user:${i}`);
  assert.deepEqual(made.toBytes({ format: 'redisson' }), filter.toBytes({ format: 'redisson' }));
});

test('numbers are written as C++ writes them', () => {
  // The rate of a format's settings passes through text both ways.
  for (const rate of [0.5, 0.1, 0.03, 1e-3, 0.00099999, 1e-7, 0.012345678901234567, 1 / 3]) {
    const made = new Filter({ format: 'redisson', capacity: 200, rate });
    const said = made.settingsOf('redisson').falseProbability;
    assert.equal(Number(said), rate, said);
    assert.equal(made.rate, rate);
  }
});

test('save() and open() are of one file', async () => {
  const filter = new BlockedFilter({ capacity: 100 });
  filter.add('a');
  const file = path.join(folder, 'one.bloom');
  await filter.save(file);
  await filter.save(file);
  assert.deepEqual(new Uint8Array(readFileSync(file)), filter.toBytes());
  assert.equal((await Filter.open(file)).has('a'), true);
  assert.deepEqual(readdirSync(folder).filter((name) => name.includes('tmp')), []);
  await assert.rejects(Filter.open(path.join(folder, 'none')), { code: 'ENOENT' });
  await assert.rejects(filter.save(path.join(folder, 'no/folder')), { code: 'ENOENT' });
  const redisson = new Filter({ format: 'redisson', capacity: 9 });
  await assert.rejects(redisson.save(file, { format: 'redisson' }), TypeError);
});

test('save() keeps permissions and links, and a secret to its owner', { skip: process.platform === 'win32' }, async () => {
  const modeOf = (file) => statSync(file).mode & 0o777;
  const file = path.join(folder, 'kept.bloom');
  const plain = new BlockedFilter({ capacity: 9 });
  const secret = new BlockedFilter({ capacity: 9, secret: true });
  assert.equal(plain.secret, false);
  assert.equal(secret.secret, true);
  await plain.save(file);
  assert.equal(modeOf(file), 0o666 & ~process.umask());
  chmodSync(file, 0o640);
  await plain.save(file);
  assert.equal(modeOf(file), 0o640);
  await secret.save(file);
  assert.equal(modeOf(file), 0o600);
  await secret.save(path.join(folder, 'secret.bloom'));
  assert.equal(modeOf(path.join(folder, 'secret.bloom')), 0o600);

  const link = path.join(folder, 'link.bloom');
  symlinkSync('kept.bloom', link);
  plain.add('by the link');
  await plain.save(link);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal((await Filter.open(file)).has('by the link'), true);
  const dangling = path.join(folder, 'dangling.bloom');
  symlinkSync('not yet.bloom', dangling);
  await plain.save(dangling);
  assert.equal((await Filter.open(path.join(folder, 'not yet.bloom'))).has('by the link'), true);
});

const command = process.env.BLOOMERY_COMMAND;
test('the command makes the same files of the same keys', { skip: !command && 'no BLOOMERY_COMMAND' }, () => {
  const keys = texts(3000, 'https://example.org/');
  const ids = Array.from({ length: 3000 }, (_, i) => 7919 * i - 1000);
  const lines = path.join(folder, 'lines');
  const file = path.join(folder, 'made.bloom');
  for (const kind of ['blocked', 'classic', 'counting', 'scalable', 'windowed', 'static']) {
    for (const [all, form] of [[keys, 'text'], [ids, 'i64']]) {
      for (const [name, rate] of [['0.01', 0.01], ['0.00001', 0.00001]]) {
        writeFileSync(lines, `${all.join('\n')}\n`);
        rmSync(file, { force: true });
        execFileSync(command, ['load', lines, file, '--kind', kind, '-n', '3000', '-p', name, '--as', form]);
        const options = { capacity: 3000, rate, keys: form };
        const own = kind === 'static' ? StaticFilter.of(all, options) : new Filter({ kind, ...options });
        if (kind !== 'static') own.addMany(all);
        const theirs = Filter.fromBytes(readFileSync(file));
        assert.deepEqual(own.toBytes(), theirs.toBytes(), `${kind} ${form} ${name}`);
        writeFileSync(file, own.toBytes());
        const input = readFileSync(lines, 'utf8');
        assert.equal(execFileSync(command, ['check', file], { input, encoding: 'utf8' }), input);
      }
    }
  }
});
