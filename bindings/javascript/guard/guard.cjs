// SPDX-License-Identifier: Apache-2.0
// The cache guard for node, over node-redis or ioredis: filter, cache and single flight on one server, shared with every other
// language. docs/guard_protocol.md says what it does on the server, guard.d.ts what each call promises.
'use strict';

const { setTimeout: sleep } = require('node:timers/promises');
const { inspect } = require('node:util');
const { GuardError, NotAnnounced, NotErased, Overloaded, WaitedTooLong } = require('./errors.cjs');
const { NoFence, checkFence, followerFence } = require('./fences.cjs');
const { Verbs } = require('./verbs.cjs');
const { Turns } = require('./turns.cjs');

const json = {
  encode(value) {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError('this value has no JSON');
    return Buffer.from(text);
  },
  decode: (bytes) => JSON.parse(bytes.toString()),
};
const bytes = { encode: (value) => Buffer.from(value), decode: (value) => value };

function encoded(codec, name, row) {
  const written = Buffer.from(codec.encode(row));
  if (written.toString() === 'null' && !isDecoded(codec, written)) {
    throw new TypeError(`the row of ${JSON.stringify(textOf(name))} is ${inspect(row, { depth: -1 })}, which is JSON null; `
      + 'a loader gives null where there is no such row');
  }
  return written;
}

// A codec's null is no value: "no such row" is an entry of its own.
function decoded(codec, written) {
  const row = codec.decode(written) ?? null;
  if (row === null) throw new TypeError('an entry is null');
  return row;
}

function isDecoded(codec, written) {
  try {
    return decoded(codec, written) !== null;
  } catch {
    return false;
  }
}

function textOf(name) {
  return Buffer.from(name, 'latin1').toString();
}

const DEFAULTS = {
  filter: null, family: 'BLOOM', codec: json, valueLife: 600_000, negativeLife: 60_000, jitter: 0.1, refreshAhead: 0, leaseLife: 5000,
  markLife: 30_000, waitLimit: 10_000, queriesAtOnce: 32, queryWait: 200, serverTimeout: 1000, readsReplica: false, near: null,
  nearIsFinal: false, commands: '', failuresInARow: 5, failurePause: 1000,
};
const COUNTED = ['absents', 'values', 'none', 'loads', 'waits', 'opens', 'unknowns', 'late', 'overloaded', 'aborted', 'serverErrors', 'skips',
  'loaderErrors', 'refreshes'];

function validated(name, options) {
  if (/[{}]/.test(name)) throw new RangeError("a guard's name has no braces");
  for (const key of Object.keys(options)) {
    if (!(key in DEFAULTS)) throw new TypeError(`no such option: ${key}`);
  }
  const all = { ...DEFAULTS, ...options };
  for (const life of ['valueLife', 'negativeLife', 'leaseLife', 'markLife']) {
    if (!(all[life] >= 1 && all[life] <= 315_360_000_000)) throw new RangeError(`${life} is ${all[life]}; allowed are 1 to 315360000000 ms`);
  }
  for (const share of ['jitter', 'refreshAhead']) {
    if (!(all[share] >= 0 && all[share] < 1)) throw new RangeError(`${share} is ${all[share]}; allowed is from 0 to below 1`);
  }
  for (const wait of ['waitLimit', 'queryWait', 'failurePause']) {
    if (!(all[wait] >= 0)) throw new RangeError(`${wait} is ${all[wait]}; allowed are 0 ms and more`);
  }
  if (!(all.serverTimeout >= 1)) throw new RangeError(`serverTimeout is ${all.serverTimeout}; allowed are 1 ms and more`);
  if (!(all.queriesAtOnce >= 1)) throw new RangeError('queriesAtOnce is at least 1');
  return all;
}

/** The bytes of a key, as latin1 text, so that they can be a Map's key. */
function nameOf(key) {
  if (typeof key === 'string') {
    const bytes = Buffer.from(key);
    if (bytes.toString() !== key) throw new TypeError('a key is no text: it has half a surrogate pair');
    return bytes.toString('latin1');
  }
  if (typeof key === 'bigint' || Number.isSafeInteger(key)) return String(key);
  if (key instanceof Uint8Array) return Buffer.from(key).toString('latin1');
  throw new TypeError('a key is a string, bytes, a safe integer or a bigint');
}

class Guard {
  #options;
  #verbs;
  #turns;
  #identity = '';
  #nextOpen = 0;
  #failures = 0;
  #polls = new Map();
  #pausedUntil = 0;
  #counters = Object.fromEntries(COUNTED.map((each) => [each, 0]));

  constructor(client, name, options = {}) {
    this.#options = validated(name, options);
    this.#verbs = new Verbs(client, name, this.#options);
    this.#turns = new Turns(this.#options.queriesAtOnce, this.#options.queryWait);
  }

  counters() {
    return { ...this.#counters };
  }

  async get(key, load, about = {}) {
    const name = nameOf(key);
    const rows = await this.#rows([name], async (names, signal) => [await load(key, { signal })], about);
    return rows.get(name);
  }

  async getMany(keys, load, about = {}) {
    const names = new Map([...keys].map((key) => [key, nameOf(key)]));
    const byName = new Map([...names].map(([key, name]) => [name, key])); // 1 and '1' are one row, under both
    const rows = await this.#rows([...byName.keys()], async (names, signal) => {
      const asked = names.map((name) => byName.get(name));
      const found = await load(asked, { signal });
      if (!(found instanceof Map) && !(Array.isArray(found) && found.length === names.length)) {
        throw new TypeError('the loader of a batch returns a Map, or an array as long as its keys');
      }
      return asked.map((key, i) => (found instanceof Map ? found.get(key) : found[i]));
    }, about);
    return new Map([...names].map(([key, name]) => [key, rows.get(name)]));
  }

  async announce(keys, { wait = 0, waitLimit = 1000 } = {}) {
    if (!Number.isSafeInteger(wait) || wait < 0 || wait > 1_000_000) {
      throw new RangeError(`wait is ${inspect(wait)}; allowed is a whole number of replicas, 1 to 1000000, or 0, which does not wait`);
    }
    if (!(typeof waitLimit === 'number' && waitLimit >= 1 && waitLimit <= 315_360_000_000)) {
      throw new RangeError(`waitLimit is ${inspect(waitLimit)}; allowed are 1 to 315360000000 ms`);
    }
    const mark = new Announcement(this.#verbs, [...new Set((Array.isArray(keys) ? keys : [keys]).map(nameOf))], wait, waitLimit);
    try {
      await mark.renew();
    } catch (error) {
      await mark.release().catch(() => {}); // its marks end by themselves
      throw error;
    }
    return mark;
  }

  async erase(...keys) {
    await erase(this.#verbs, [...new Set(keys.map(nameOf))], '');
  }

  close() {
    this.#verbs.close();
  }

  async open() {
    this.#identity = await this.#verbs.open();
  }

  cached(load, { key }) {
    const ask = (...words) => this.get(key(...words), () => load(...words));
    ask.erase = (...words) => this.erase(key(...words));
    ask.announce = (...words) => this.announce(key(...words));
    ask.announceWaiting = (options, ...words) => this.announce(key(...words), options);
    return ask;
  }

  // The row of each name, null where there is none. `load` gets names and returns rows in their order.
  async #rows(names, load, { fence = null, waitLimit = this.#options.waitLimit, signal = undefined }) {
    checkFence(fence);
    if (!(waitLimit >= 0)) throw new RangeError(`waitLimit is ${inspect(waitLimit)}; allowed are 0 ms and more`);
    signal?.throwIfAborted();
    const { near, nearIsFinal, codec } = this.#options;
    const rows = new Map();
    let waiting = names;
    if (near && nearIsFinal) {
      waiting = names.filter((name) => near(Buffer.from(name, 'latin1')) || (rows.set(name, null), this.#counters.absents++, false));
    }
    const deadline = performance.now() + waitLimit;
    const unreadable = new Set();
    let polled = null;
    for (let pause = 1; waiting.length > 0; pause = Math.min(pause * 1.5, 12)) {
      const answers = polled ?? await this.#ask(waiting, fence);
      polled = null;
      const leases = new Map();
      const opens = [];
      const again = [];
      for (const [i, [answer, presence, value, lease]] of answers.entries()) {
        const name = waiting[i];
        if (presence === 'unknown') this.#counters.unknowns++;
        if (answer === 'value') {
          try {
            rows.set(name, decoded(codec, value));
          } catch { // other bytes than this codec's
            (unreadable.has(name) ? opens : again).push(name);
            unreadable.add(name);
            await this.#attempt(() => this.#verbs.erase([name], ''));
            continue;
          }
          this.#counters.values++;
          if (lease) this.#refresh(name, lease, load, fence);
        } else if (answer === 'absent' || answer === 'none') {
          this.#counters[answer === 'none' ? 'none' : 'absents']++;
          rows.set(name, null);
        } else if (answer === 'lease') {
          leases.set(name, value);
        } else if (answer === 'wait') {
          this.#counters.waits++;
          again.push(name);
        } else {
          this.#counters.opens++;
          opens.push(name);
        }
      }
      if (leases.size + opens.length > 0) {
        for (const [name, row] of await this.#load(leases, opens, load, fence, signal)) rows.set(name, row);
      }
      waiting = again;
      if (waiting.length > 0 && leases.size === 0) {
        if (performance.now() >= deadline) throw new WaitedTooLong(`another loads ${JSON.stringify(waiting[0])}`);
        const drawn = pause * (0.8 + 0.2 * Math.random());
        if (waiting.length === 1 && !fence) polled = await this.#poll(waiting[0], drawn, signal);
        else await this.#until(sleep(drawn), signal);
      }
    }
    return rows;
  }

  // The server's answers, in order. Where it cannot be asked, each is to be loaded, and not written.
  async #ask(names, fence) {
    const { filter, near, failuresInARow, failurePause } = this.#options;
    const unasked = () => names.map(() => ['open', 'unknown']);
    if (performance.now() < this.#pausedUntil) {
      this.#counters.skips += names.length;
      return unasked();
    }
    try {
      if (filter && !this.#identity && performance.now() >= this.#nextOpen) {
        this.#nextOpen = performance.now() + 1000;
        await this.#attempt(() => this.open());
      }
      const isNear = near && !fence && names.every((name) => near(Buffer.from(name, 'latin1')));
      const answers = await this.#verbs.get(names, Boolean(filter) && !isNear, this.#identity, fence);
      this.#failures = 0;
      return answers;
    } catch (error) {
      if (error instanceof GuardError) throw error;
      this.#counters.serverErrors++;
      if (++this.#failures >= failuresInARow) this.#pausedUntil = performance.now() + failurePause;
      return unasked();
    }
  }

  // The server's answer about the key, after a pause: one question for all that came before it was sent.
  async #poll(name, pause, signal) {
    const other = this.#polls.get(name);
    if (other) { // a lease is of who sent the question
      const [[answer, presence, value]] = await this.#until(other, signal);
      return [answer === 'lease' ? ['wait', 'none'] : [answer, presence, value]];
    }
    const poll = sleep(pause).then(() => {
      this.#polls.delete(name);
      return this.#ask([name], null);
    });
    this.#polls.set(name, poll);
    try {
      return await this.#until(poll, signal);
    } catch (error) { // aborted: what it leases is given back
      poll.then(([[answer, , value, lease]]) => {
        const held = answer === 'lease' ? value : lease;
        return held && this.#attempt(() => this.#verbs.drop(new Map([[name, held]])));
      }, () => {});
      throw error;
    }
  }

  // Asks the loader, writes what was leased, and returns the rows by name.
  async #load(leases, opens, load, fence, signal) {
    const names = [...leases.keys(), ...opens];
    const unwritten = new Map();
    const puts = [];
    let rows;
    try {
      const loaded = await this.#until(this.#turns.with(() => { // a loader that goes on has its turn until it ends
        this.#counters.loads++;
        return load(names, signal);
      }, signal), signal);
      rows = new Map(names.map((name, i) => [name, loaded[i] ?? null]));
      for (const [name, lease] of leases) {
        const row = rows.get(name);
        if (row === null && (fence || this.#options.readsReplica)) unwritten.set(name, lease);
        else puts.push([name, lease, row === null ? null : encoded(this.#options.codec, name, row)]);
      }
    } catch (error) {
      this.#counters[error instanceof Overloaded ? 'overloaded' : signal?.aborted ? 'aborted' : 'loaderErrors']++;
      await this.#attempt(() => this.#verbs.drop(leases));
      throw error;
    }
    await this.#attempt(() => this.#verbs.drop(unwritten));
    await this.#attempt(async () => {
      for (const done of await this.#verbs.put(puts)) {
        if (done === 0) this.#counters.late++;
        else if (done !== 1) this.#counters.serverErrors++;
      }
    });
    return rows;
  }

  // Loads a row anew, under a lease that came with its old value. Errors are counted, no more.
  #refresh(name, lease, load, fence) {
    this.#counters.refreshes++;
    this.#load(new Map([[name, lease]]), [], load, fence, undefined).catch(() => {});
  }

  async #attempt(step) {
    try {
      await step();
    } catch {
      this.#counters.serverErrors++;
    }
  }

  // What `promise` gives, or the signal's reason as soon as that is aborted.
  #until(promise, signal) {
    if (!signal) return promise;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      Promise.resolve(promise).then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }
}

class Announcement {
  #verbs;
  #names;
  #token;
  #wait;
  #waitLimit;

  constructor(verbs, names, wait, waitLimit) {
    this.#verbs = verbs;
    this.#names = names;
    this.#token = Verbs.token();
    this.#wait = wait;
    this.#waitLimit = waitLimit;
  }

  async renew() {
    try {
      return await this.#verbs.announce(this.#names, this.#token, this.#wait, this.#waitLimit);
    } catch (error) {
      throw new NotAnnounced(`not announced, do not commit the rows: ${error.message}`, { cause: error });
    }
  }

  async release() {
    await erase(this.#verbs, this.#names, this.#token);
  }
}

async function erase(verbs, names, token) {
  try {
    await verbs.erase(names, token);
  } catch (error) {
    throw new NotErased(`not erased, erase again: ${error.message}`, { cause: error });
  }
}

module.exports = { Guard, GuardError, NoFence, NotAnnounced, NotErased, Overloaded, WaitedTooLong, bytes, followerFence, json };
