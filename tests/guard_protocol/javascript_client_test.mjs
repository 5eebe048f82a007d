// SPDX-License-Identifier: Apache-2.0
// What the guard for node has beyond the scenes: AbortSignal, turns, keys of all types, both clients, both module systems.
// javascript_client_test.mjs PORT WITH_MODULE: on an empty server.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Guard, NotAnnounced, NotErased, Overloaded, WaitedTooLong, bytes } from '../../bindings/javascript/guard/guard.mjs';

const require = createRequire(`${process.env.BLOOMERY_NODE_FOLDER}/`);
const [port, withModule] = process.argv.slice(2);
assert.equal(createRequire(import.meta.url)('../../bindings/javascript/guard/guard.cjs').Guard, Guard);
const Redis = require('ioredis');
const client = await require('redis').createClient({ socket: { port, host: '127.0.0.1' } }).connect();
const other = new Redis({ port, host: '127.0.0.1' });
const asBytes = { returnBuffers: true, typeMapping: { 36: Buffer } };
const never = () => assert.fail('it is not loaded');
const loading = (key, { signal }) => new Promise((resolve, reject) => { signal.addEventListener('abort', () => reject(new Error('stopped'))); });
const until = async (holds) => {
  for (let i = 0; !(await holds()); i++) {
    assert.ok(i < 3000, 'it does not come');
    await sleep(5);
  }
};

for (const one of [client, other]) {
  await client.flushAll();
  const guard = new Guard(one, 'n');

  // Many miss one key, and one loads.
  let loads = 0;
  let go;
  const gone = new Promise((resolve) => { go = resolve; });
  const answers = Array.from({ length: 64 }, () => guard.get('a', async () => (loads++, await gone, 'row')));
  await until(() => guard.counters().waits >= 63);
  go();
  assert.deepEqual(await Promise.all(answers), Array(64).fill('row'));
  assert.equal(loads, 1);

  // Keys are one by their bytes; a batch takes a Map or an array.
  const rows = await guard.getMany(['7', '8'], ([seven, eight]) => new Map([[seven, 'seven']]));
  assert.deepEqual([...rows], [['7', 'seven'], ['8', null]]);
  for (const key of [7, 7n, Buffer.from('7'), new Uint8Array([55])]) assert.equal(await guard.get(key, never), 'seven');
  assert.deepEqual([...(await guard.getMany([9, 'x'], () => [9, undefined]))], [[9, 9], ['x', null]]);
  await assert.rejects(guard.getMany(['y', 'z'], () => [1]), TypeError);
  for (const key of [1.5, null, {}, NaN, 'half \ud83d']) await assert.rejects(guard.get(key, never), TypeError);
  const raw = new Guard(one, 'raw', { codec: bytes });
  await raw.get(Buffer.from([0xff, 0]), () => Buffer.from([0xff, 0, 10]));
  assert.deepEqual(await raw.get(Buffer.from([0xff, 0]), never), Buffer.from([0xff, 0, 10]));
  await assert.rejects(guard.get('none', () => () => 1), TypeError);
  assert.equal(await client.exists('n:{=none}:lease'), 0);

  // A value that JSON would make null, "no such row", is refused by name; null that others wrote is undecodable.
  const mapper = new Guard(one, 'n', { codec: { encode: (value) => Buffer.from(JSON.stringify(value)), decode: JSON.parse } });
  for (const value of [NaN, Infinity, new Date(NaN), { toJSON: () => null }]) {
    for (const each of [guard, mapper]) await assert.rejects(each.get('null', () => value), /"null".*JSON null/);
  }
  await assert.rejects(new Guard(one, 'n', { codec: { encode: () => null, decode: () => 1 } }).get('null', () => 1), TypeError);
  assert.equal(await client.exists('n:{=null}', 'n:{=null}:lease'), 0);
  for (const [text, each] of [['null', guard], [' null\n', guard], ['null', mapper]]) {
    await client.set('n:{=null}', `V0000000000000${text}`);
    assert.equal(await each.get('null', () => 'row'), 'row');
    assert.equal(await client.get('n:{=null}'), 'V0000000000000"row"');
    await guard.erase('null');
  }
  await raw.get('null', () => Buffer.from('null'));
  assert.deepEqual(await raw.get('null', never), Buffer.from('null'));

  // A signal ends a call while it loads, while it waits for another, and for its turn.
  for (const key of ['s', 't']) {
    const stop = new AbortController();
    const first = guard.get(key, key === 's' ? loading : () => new Promise(() => {}), { signal: stop.signal });
    await until(async () => (await client.exists(`n:{=${key}}:lease`)) === 1);
    const stopSecond = new AbortController();
    const second = guard.get(key, never, { signal: stopSecond.signal });
    stopSecond.abort();
    await assert.rejects(second, { name: 'AbortError' });
    stop.abort();
    await assert.rejects(first, { name: 'AbortError' });
    await until(async () => (await client.exists(`n:{=${key}}:lease`)) === 0);
  }
  await assert.rejects(guard.get('s', never, { signal: AbortSignal.abort() }), { name: 'AbortError' });

  // Turns.
  const few = new Guard(one, 'few', { queriesAtOnce: 1, queryWait: 20 });
  assert.equal(await few.get('a', async () => {
    await assert.rejects(few.get('b', never), Overloaded);
    return 'a';
  }), 'a');
  assert.equal(await client.exists('few:{=b}:lease'), 0);
  assert.deepEqual(await Promise.all(['c', 'd'].map((key) => few.get(key, () => key))), ['c', 'd']);
  const calm = new Guard(one, 'few', { queriesAtOnce: 1, queryWait: 3e9 }); // more than a timer takes
  assert.deepEqual(await Promise.all(['e', 'f'].map((key) => calm.get(key, () => sleep(50, key)))), ['e', 'f']);

  // cached, announced, too few replicas, a filter in the process, a fence.
  const load = guard.cached(async (tenant, user) => ({ user }), { key: (tenant, user) => `${tenant}:${user}` });
  assert.deepEqual(await load(1, 'a'), { user: 'a' });
  await load.erase(1, 'a');
  assert.equal(await client.exists('n:{=1:a}'), 0);
  const mark = await load.announce(1, 'b');
  assert.equal(await mark.renew(), true);
  await mark.release();
  assert.equal(await client.exists('n:{=1:b}:lease'), 0);
  await assert.rejects(load.announceWaiting({ wait: 1, waitLimit: 10 }, 1, 'b'), NotAnnounced);
  await assert.rejects(load.announceWaiting({ wait: -1 }, 1, 'b'), RangeError);
  await (await load.announceWaiting({ waitLimit: 10 }, 1, 'b')).release();
  assert.equal(await client.exists('n:{=1:b}:lease'), 0);
  await assert.rejects(guard.announce('c', { wait: 1, waitLimit: 10 }), NotAnnounced);
  assert.equal(await client.exists('n:{=c}:lease'), 0);
  assert.equal(await new Guard(one, 'n', { near: () => false, nearIsFinal: true }).get('bob', never), null);
  assert.equal(await new Guard(one, 'n', { near: () => false }).get('carol', () => 2), 2);
  assert.equal(await guard.get('dave', () => null, { fence: ['ab'.repeat(16), '7'] }), null);
  assert.equal(await client.exists('n:{=dave}'), 0);

  for (const fence of [['', ''], ['ab'.repeat(16), ''], ['', '7'], [], ['ab'.repeat(16)], ['s', null], ['s', 7.5], ['s', -1], [7, '7'], 'ab', {}, true]) {
    await assert.rejects(guard.get('dave', never, { fence }), TypeError);
    await assert.rejects(guard.getMany(['dave'], never, { fence }), TypeError);
  }
  assert.equal(await guard.get('dave', () => 1, { fence: ['ab'.repeat(16), 7] }), 1);
  await guard.erase('dave');

  await guard.get('old', () => 'old');
  await client.setRange('n:{=old}', 1, '0000000000001');
  assert.equal(await guard.get('old', () => null, { fence: ['s', '7'] }), 'old'); // its refreshing puts no negative entry
  await until(async () => guard.counters().refreshes === 1 && (await client.exists('n:{=old}:lease')) === 0);
  assert.equal(await client.get('n:{=old}'), 'V0000000000001"old"');

  // Two keys of one name; a batch of several calls whose last one fails gives back what the others leased.
  const twins = await guard.getMany([1, '1', 1n], (asked) => (assert.equal(asked.length, 1), ['one']));
  assert.deepEqual([...twins], [[1, 'one'], ['1', 'one'], [1n, 'one']]);
  const failing = { // node-redis, but for the second call
    sendCommand: (words) => (words.some((word) => String(word) === 'm1000') ? Promise.reject(new Error('away')) : client.sendCommand(words, asBytes)),
  };
  const thousand = Array.from({ length: 1001 }, (_, i) => `m${i}`);
  await assert.rejects(new Guard(failing, 'half', { leaseLife: 3_600_000 }).getMany(thousand, () => { throw new Error('stopped'); }), /stopped/);
  await until(async () => (await client.keys('half:*')).length === 0);

  // More keys than one call takes.
  const keys = Array.from({ length: 2500 }, (_, i) => `k${i}`);
  assert.deepEqual([...(await guard.getMany(keys, (asked) => asked)).values()], keys);
  assert.deepEqual([...(await guard.getMany(keys, never)).values()], keys);
  await guard.erase(...keys);
  assert.equal(await client.exists('n:{=k0}', 'n:{=k2499}'), 0);
}

// An announcement that waits for replicas holds up nobody else, also where none comes; its connection ends with the client, and is of its database.
const clients = async () => (await client.sendCommand(['CLIENT', 'LIST'])).split('\n').filter(Boolean);
const waiters = async () => (await clients()).filter((each) => each.includes(' cmd=wait '));
for (const make of [() => require('redis').createClient({ socket: { port, host: '127.0.0.1' } }).connect(),
  () => require('redis4').createClient({ socket: { port, host: '127.0.0.1' } }).connect(), () => new Redis({ port, host: '127.0.0.1' })]) {
  const one = await make();
  const guard = new Guard(one, 'n', { serverTimeout: 5000 });
  await guard.get('here', () => 1);
  const connections = (await clients()).length;
  const both = ['v', 'w'].map((key) => assert.rejects(guard.announce(key, { wait: 1, waitLimit: 60_000 }), NotAnnounced));
  await until(async () => (await waiters()).filter((each) => each.includes(' flags=b ')).length === 2);
  assert.equal(await guard.get('here', never), 1);
  assert.deepEqual([guard.counters().serverErrors, guard.counters().opens], [0, 0]);
  for (const each of await waiters()) await client.sendCommand(['CLIENT', 'UNBLOCK', /^id=(\d+)/.exec(each)[1]]);
  await Promise.all(both);
  assert.equal(await client.exists('n:{=v}:lease', 'n:{=w}:lease'), 0);
  assert.equal((await clients()).length, connections + 2);
  await assert.rejects(guard.announce('x', { wait: 1, waitLimit: 1 }), NotAnnounced); // on one of these
  assert.equal((await clients()).length, connections + 2);
  guard.close();
  await until(async () => (await clients()).length === connections);
  await assert.rejects(guard.announce('x', { wait: 1, waitLimit: 0.5 }), RangeError);
  for (const wait of [-1, NaN, 1.5, '1', null, Infinity, 1_000_001]) await assert.rejects(guard.announce('x', { wait }), RangeError);
  for (const waitLimit of [0, -1, NaN, Infinity, '5']) await assert.rejects(guard.announce('x', { wait: 1, waitLimit }), RangeError);
  assert.equal(await client.exists('n:{=x}:lease'), 0);
  await one.select(1);
  await assert.rejects(guard.announce('x', { wait: 1, waitLimit: 1 }), /another database/);
  await guard.announce('y').then((mark) => mark.release());
  await one.select(0);
  await assert.rejects(guard.announce('x', { wait: 1, waitLimit: 1 }), /0 replicas/);
  await one.quit();
  await until(async () => (await clients()).length === connections - 1);
  await client.flushAll();
}

for (const [name, options] of [['a{b', {}], ['n', { valueLife: 0 }], ['n', { jitter: 1 }], ['n', { leaseLife: NaN }], ['n', { waitLimit: NaN }],
  ['n', { queryWait: -1 }], ['n', { failurePause: NaN }], ['n', { serverTimeout: 0 }], ['n', { queriesAtOnce: 0 }]]) {
  assert.throws(() => new Guard(client, name, options), RangeError);
}
assert.throws(() => new Guard(client, 'n', { valueLive: 7 }), /valueLive/);
assert.throws(() => new Guard({}, 'n'), TypeError);

// A server that is away hangs nobody.
const away = new Redis({ port: 1, host: '127.0.0.1', retryStrategy: () => 10, maxRetriesPerRequest: null });
away.on('error', () => {});
const alone = new Guard(away, 'n', { serverTimeout: 30, failuresInARow: 2, failurePause: 60_000 });
for (let i = 0; i < 4; i++) assert.equal(await alone.get('a', () => i), i);
assert.equal(alone.counters().skips, 2);
await assert.rejects(alone.erase('a'), NotErased);
away.disconnect();

// What a client queued while the server was away comes late, and gives its lease back.
for (const queued of [new Redis({ port, host: '127.0.0.1', lazyConnect: true }), require('redis').createClient({ socket: { port, host: '127.0.0.1' } })]) {
  const later = new Guard(queued, 'later', { serverTimeout: 30 });
  const sent = queued.callBuffer ? queued.callBuffer.bind(queued) : queued.sendCommand.bind(queued);
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  const which = queued.callBuffer ? 'callBuffer' : 'sendCommand';
  await queued.connect();
  queued[which] = (...words) => held.then(() => sent(...words));
  assert.equal(await later.get('a', () => 1), 1);
  queued[which] = (...words) => sent(...words);
  release();
  await until(async () => (await client.exists('later:{=a}:lease')) === 0);
  assert.equal(await later.get('a', () => 2, { waitLimit: 1000 }), 2);
  await later.erase('a');
  queued.destroy ? queued.destroy() : queued.disconnect();
}

// Who waits too long is told so, in milliseconds.
await client.flushAll();
const patient = new Guard(client, 'n');
const stop = new AbortController();
const first = patient.get('a', loading, { signal: stop.signal });
await until(async () => (await client.exists('n:{=a}:lease')) === 1);
await assert.rejects(patient.get('a', never, { waitLimit: 30 }), WaitedTooLong);
await assert.rejects(patient.get('a', never, { waitLimit: NaN }), RangeError); // it would not end
stop.abort();
await assert.rejects(first);

// The page's blocks.
if (withModule === 'yes') {
  await client.sendCommand(['BLOOM.RESERVE', 'users:filter', '0.0001', '100']);
  await client.sendCommand(['BLOOM.ADD', 'users:filter', 'alice']);
  const page = readFileSync(new URL('../../docs/javascript.md', import.meta.url), 'utf8');
  const blocks = page.split('```javascript\n').slice(1).map((each) => each.split('```')[0]);
  assert.equal(blocks.length, 2);
  const source = blocks.join('\n').replace(/^import .*$/gm, '').replace('await createClient().connect()', 'client');
  const printed = [];
  const table = new Map([['alice', 'Alice']]);
  const database = {
    find: async (id) => table.get(id), findMany: async (ids) => ids.map((id) => table.get(id)),
    insert: (id, row) => table.set(id, row), update: (id, row) => table.set(id, row),
  };
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction('client', 'Guard', 'database', 'console', source)(client, Guard, database, { log: (...words) => printed.push(...words) });
  assert.deepEqual(printed, ['Bob B.', 'Alice A.', null]);
}
await client.close();
other.disconnect();
console.log('javascript: all as it should be');
