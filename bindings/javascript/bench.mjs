// SPDX-License-Identifier: Apache-2.0
// node bench.mjs PACKAGE [OTHER-PACKAGE...]: how long a key takes, beside a Set and beside the class that people write by
// hand. In each round all take turns: the least time of all rounds, and the median of what is a Set's time each round.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const COUNT = 200_000;
const ROUNDS = 9;

// A bit an array element, and hashes of a text by multiplying and adding, taken modulo the size.
class HandWritten {
  constructor(size, multipliers) {
    this.bits = new Array(size).fill(false);
    this.multipliers = multipliers;
  }
  place(key, multiplier) {
    let hash = 0;
    for (let i = 0; i < key.length; ++i) hash = (hash * multiplier + key.charCodeAt(i)) >>> 0;
    return hash % this.bits.length;
  }
  add(key) {
    for (const multiplier of this.multipliers) this.bits[this.place(key, multiplier)] = true;
  }
  has(key) {
    return this.multipliers.every((multiplier) => this.bits[this.place(key, multiplier)]);
  }
}

const texts = Array.from({ length: COUNT }, (_, i) => `user:${100_000 + i}`);
const asked = Array.from({ length: COUNT }, (_, i) => `user:${100_000 + 2 * i}`); // half are there
const numbers = Array.from({ length: COUNT }, (_, i) => 100_000 + i);
const askedNumbers = numbers.map((_, i) => 100_000 + 2 * i);
const wide = BigInt64Array.from(askedNumbers, BigInt);

const count = (is) => {
  let all = 0;
  for (const each of is) all += each;
  return all;
};
const each = (filter, keys) => {
  let found = 0;
  for (const key of keys) found += filter.has(key) ? 1 : 0;
  return found;
};
const fill = (filter, keys) => {
  for (const key of keys) filter.add(key);
  return filter;
};

const runs = [];
const hand = () => new HandWritten(Math.ceil(9.6 * COUNT), [3, 5, 7, 11, 13, 31, 37]);
const set = new Set(texts);
const numberSet = new Set(numbers);
const byHand = fill(hand(), texts);
runs.push(['Set: add, texts', () => fill(new Set(), texts).size]);
runs.push(['Set: has, texts', () => each(set, asked)]);
runs.push(['Set: has, integers', () => each(numberSet, askedNumbers)]);
runs.push(['by hand: add, texts', () => fill(hand(), texts).bits.length]);
runs.push(['by hand: has, texts', () => each(byHand, asked)]);
for (const folder of process.argv.slice(2)) {
  const { BlockedFilter } = await import(pathToFileURL(path.resolve(folder, 'node.mjs')).href);
  const name = process.argv.length > 3 ? folder : 'bloomery';
  const options = { capacity: COUNT, rate: 0.01 };
  const ofTexts = fill(new BlockedFilter(options), texts);
  const ofNumbers = fill(new BlockedFilter(options), numbers);
  const fresh = (use) => {
    const filter = new BlockedFilter(options);
    use(filter);
    const added = filter.count;
    filter.free();
    return added;
  };
  runs.push([`${name}: add, texts`, () => fresh((filter) => fill(filter, texts))]);
  runs.push([`${name}: addMany, texts`, () => fresh((filter) => filter.addMany(texts))]);
  runs.push([`${name}: has, texts`, () => each(ofTexts, asked)]);
  runs.push([`${name}: hasMany, texts`, () => count(ofTexts.hasMany(asked))]);
  runs.push([`${name}: has, integers`, () => each(ofNumbers, askedNumbers)]);
  runs.push([`${name}: hasMany, integers`, () => count(ofNumbers.hasMany(askedNumbers))]);
  runs.push([`${name}: hasMany, BigInt64Array`, () => count(ofNumbers.hasMany(wide))]);
}

const peerOf = (name) =>
  name.includes('add') ? 'Set: add, texts' : name.endsWith('texts') ? 'Set: has, texts' : 'Set: has, integers';
const times = new Map(runs.map(([name]) => [name, []]));
for (let round = 0; round < ROUNDS; ++round) {
  for (const [name, run] of runs) {
    const begin = process.hrtime.bigint();
    run();
    times.get(name).push(Number(process.hrtime.bigint() - begin) / COUNT);
  }
}
for (const [name, own] of times) {
  const peer = times.get(peerOf(name));
  const ratios = own.map((time, i) => time / peer[i]).sort((a, b) => a - b);
  const least = Math.min(...own).toFixed(0).padStart(6);
  console.log(`${name.padEnd(40)}${least} ns  ${ratios[ROUNDS >> 1].toFixed(2).padStart(6)}`);
}
