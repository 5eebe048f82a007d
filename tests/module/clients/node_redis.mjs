// SPDX-License-Identifier: Apache-2.0
// node-redis's own methods for filters, against the server at the port that is given. Exit status 77: no node-redis.
import assert from 'node:assert';
import {createRequire} from 'node:module';

const require = createRequire(process.argv[3] + '/');
let createClient, modules;
try {
  ({createClient} = require('@redis/client'));
  modules = require('@redis/bloom').default;
} catch (error) {
  console.log(error.message);
  process.exit(77);
}

const client = createClient({socket: {port: Number(process.argv[2])}, modules});
await client.connect();

assert.equal(await client.bf.reserve('bf', 0.001, 1000, {EXPANSION: 4}), 'OK');
assert.equal(await client.bf.add('bf', 'alice'), true);
assert.equal(await client.bf.add('bf', 'alice'), false);
assert.deepEqual(await client.bf.mAdd('bf', ['alice', 'bob']), [false, true]);
assert.deepEqual(await client.bf.insert('new', ['a', 'b'], {CAPACITY: 50, ERROR: 0.001, EXPANSION: 3}), [true, true]);
assert.equal(await client.bf.exists('bf', 'alice'), true);
assert.deepEqual(await client.bf.mExists('bf', ['bob', 'carol']), [true, false]);
assert.equal(await client.bf.card('bf'), 2);
const info = await client.bf.info('bf');
assert.deepEqual([info.capacity, info.numberOfFilters, info.numberOfInsertedItems, info.expansionRate], [1000, 1, 2, 4]);
for (let iterator = 0;;) {
  const reply = await client.bf.scanDump('bf', iterator);
  iterator = reply.iterator;
  if (iterator === 0) break;
}
await assert.rejects(client.bf.reserve('bf', 0.01, 10), /exists/);
assert.deepEqual(await client.multi().bf.add('bf', 'c').bf.exists('bf', 'c').exec(), [true, true]);

const known = await client.sendCommand(['COMMAND', 'INFO', 'CF.ADD']);
if (known[0] !== null) {
  assert.equal(await client.cf.reserve('cf', 1000, {BUCKETSIZE: 4, EXPANSION: 2}), 'OK');
  assert.equal(await client.cf.add('cf', 'alice'), true);
  assert.equal(await client.cf.addNX('cf', 'alice'), false);
  assert.deepEqual(await client.cf.insert('cf', ['bob', 'carol']), [true, true]);
  assert.equal(await client.cf.exists('cf', 'bob'), true);
  assert.equal(await client.cf.count('cf', 'alice'), 1);
  assert.equal(await client.cf.del('cf', 'alice'), true);
  assert.equal((await client.cf.info('cf')).numberOfInsertedItems, 2);
}
await client.quit();
