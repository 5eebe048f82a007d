// SPDX-License-Identifier: Apache-2.0
// The JavaScript side of matrix_test.py: a line of standard input is a call with its keys as texts, a line of output its
// answer, as matrix_program.cc has it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const folder = path.resolve(process.env.BLOOMERY_PACKAGE);
const { BlockedFilter, BloomeryError, Filter } = await import(pathToFileURL(path.join(folder, 'node.mjs')).href);

const eightBytes = (key) => new Uint8Array(BigInt64Array.of(BigInt(key)).buffer);
const keyOf = {
  text: (key) => key,
  int: Number,
  int64: BigInt,
  uint64: BigInt,
  bytes: (key) => new TextEncoder().encode(key),
  eight: BigInt, // asked for as an integer
};

const insert = async (file, kind, keys) => {
  const filter = existsSync(file) ? await Filter.open(file) : new BlockedFilter({ capacity: 1000 });
  for (const key of keys) filter.add(kind === 'eight' ? eightBytes(key) : keyOf[kind](key));
  await filter.save(file);
  return 'ok';
};

const ask = async (file, kind, keys) => {
  const filter = await Filter.open(file);
  return keys.filter((key) => !filter.has(keyOf[kind](key))).length;
};

for await (const line of createInterface({ input: process.stdin })) {
  const [call, file, kind, keys] = JSON.parse(line);
  try {
    console.log(await (call === 'insert' ? insert(file, kind, keys) : ask(file, kind, keys)));
  } catch (error) {
    const refused = error instanceof BloomeryError && error.code === 'WRONG_KEYS';
    // That such keys cannot be asked for is no answer.
    if (refused) console.log(call === 'insert' ? `refused: ${error.message}` : 0);
    else console.log(`failed: ${error.message}`);
  }
}
