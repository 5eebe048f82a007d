// SPDX-License-Identifier: Apache-2.0
'use strict';

const { createHash, randomBytes } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Apart } = require('./apart.cjs');

const SCRIPT = readFileSync(join(__dirname, 'guard.lua'));
const SHA = createHash('sha1').update(SCRIPT).digest('hex');
const MOST_KEYS = 1000;
const AS_BYTES = { returnBuffers: true, typeMapping: { 36: Buffer } }; // node-redis 4, and 5: 36 is '$', a text of RESP

/** The verbs of docs/guard_protocol.md, each one call of the script. Names are keys' bytes as latin1 text. */
class Verbs {
  #client;
  #apart;
  #prefix;
  #options;

  constructor(client, name, options) {
    if (typeof client.callBuffer !== 'function' && typeof client.sendCommand !== 'function') {
      throw new TypeError('the client is one of node-redis or ioredis');
    }
    this.#client = client;
    this.#apart = Apart.of(client);
    this.#prefix = Buffer.from(name).toString('latin1');
    this.#options = options;
  }

  static token() {
    return randomBytes(16).toString('hex');
  }

  /** For each name: [answer, what the filter knew, value or lease, lease]. */
  async get(names, asksFilter, identity, fence) {
    const [source, position] = fence ?? ['', ''];
    const answers = [];
    for (const batch of this.#batches(names)) {
      const words = [asksFilter ? this.#options.family : '', asksFilter ? identity : '', source, String(position), Verbs.token(),
        String(Math.round(this.#options.leaseLife)), ...batch.map(bytesOf)];
      const late = (reply) => this.#dropLate(batch, reply);
      const replies = await this.#about('get', batch, words, asksFilter, late).catch((error) => {
        this.drop(leasesOf(names, answers)).catch(() => {}); // nobody loads what the calls before leased
        throw error;
      });
      for (const [answer, presence, value, lease] of replies) {
        const word = answer.toString();
        answers.push([word, presence?.toString(), word === 'lease' ? value.toString() : value, lease?.toString()]);
      }
    }
    return answers;
  }

  // A client that queues while the server is away sends a question that nobody waits for any more.
  #dropLate(names, reply) {
    this.drop(leasesOf(names, reply)).catch(() => {});
  }

  /** puts: [name, lease, bytes or null]. For each 1, 0 (too late), or why not. */
  async put(puts) {
    const done = [];
    for (const batch of this.#batches(puts)) {
      const words = batch.flatMap(([, lease, value]) => [lease, ...this.#life(value), value ?? '']);
      done.push(...(await this.#about('put', batch.map(([name]) => name), words)));
    }
    return done.map((each) => (typeof each === 'object' ? each.toString() : Number(each)));
  }

  async drop(leases) {
    for (const batch of this.#batches([...leases])) {
      await this.#about('drop', batch.map(([name]) => name), batch.map(([, lease]) => lease));
    }
  }

  /**
   * Whether the token's marks of all had held. With `wait` it announces again, apart, where WAIT holds nobody else's commands: what
   * the replicas have of that connection, they have of the first announcement.
   */
  async announce(names, token, wait, waitLimit) {
    const { filter, family, markLife } = this.#options;
    let held = true;
    for (const batch of this.#batches(names)) {
      const words = [filter ? family : '', '', '', '', token, String(Math.round(markLife)), ...batch.map(bytesOf)];
      const [, ...marks] = await this.#about('announce', batch, words, Boolean(filter));
      held &&= marks.every(Number);
      if (wait) await this.#wait(this.#whole(...this.#parts('announce', batch, words, Boolean(filter))), wait, Math.round(waitLimit));
    }
    return held;
  }

  /** Ends connections that announcements waited on. */
  close() {
    this.#apart.close();
  }

  async erase(names, token) {
    for (const batch of this.#batches(names)) await this.#about('erase', batch, [token]);
  }

  /** The filter's identity. */
  async open() {
    const { filter, family } = this.#options;
    const markers = `${filter.includes('{') ? filter : `{${filter}}`}:markers`;
    return (await this.#run(family.endsWith('BLOOM') ? [filter] : [filter, markers], ['open', family])).toString();
  }

  #batches(all) {
    return Array.from({ length: Math.ceil(all.length / MOST_KEYS) }, (_, i) => all.slice(i * MOST_KEYS, (i + 1) * MOST_KEYS));
  }

  // The kind of an entry, its life, and when to refresh it.
  #life(value) {
    const { valueLife, negativeLife, jitter, refreshAhead } = this.#options;
    const drawn = (value === null ? negativeLife : valueLife) * (1 + jitter * (2 * Math.random() - 1));
    const life = Math.min(Math.max(1, Math.round(drawn)), 315_360_000_000);
    const after = value !== null && refreshAhead > 0 ? Math.max(1, Math.round(life * (1 - refreshAhead))) : 0;
    return [value === null ? 'N' : 'V', String(life), String(after)];
  }

  #about(verb, names, words, withFilter = false, late = undefined) {
    return this.#run(...this.#parts(verb, names, words, withFilter), late);
  }

  // Keys and words.
  #parts(verb, names, words, withFilter) {
    const keys = names.flatMap((name) => [`${this.#prefix}:{=${name}}`, `${this.#prefix}:{=${name}}:lease`]).map(bytesOf);
    return [withFilter ? [...keys, this.#options.filter] : keys, [verb, ...words]];
  }

  #whole(keys, words) {
    const { commands } = this.#options;
    const count = String(keys.length);
    return commands ? [`${commands}.${words[0].toUpperCase()}`, count, ...keys, ...words.slice(1)] : ['EVAL', SCRIPT, count, ...keys, ...words];
  }

  async #run(keys, words, late) {
    const whole = this.#whole(keys, words);
    try {
      return await this.#send(this.#options.commands ? whole : ['EVALSHA', SHA, ...whole.slice(2)], late);
    } catch (error) {
      if (!String(error.message).startsWith('NOSCRIPT')) throw error;
      return this.#send(whole, late);
    }
  }

  async #wait(announcement, wait, waitLimit) {
    const commands = [announcement, ['WAIT', String(wait), String(waitLimit)]];
    const [[, ...marks], replicas] = await this.#apart.inOrder(commands, AS_BYTES, (work) => this.#within(waitLimit, work));
    if (!marks.every(Number)) throw new Error('a second connection does not find the marks: it has another database, or they ended');
    if (Number(replicas) < wait) throw new Error(`${replicas} replicas have it, not ${wait}`);
  }

  #send(words, late = undefined) {
    return this.#within(0, () => (typeof this.#client.callBuffer === 'function'
      ? this.#client.callBuffer(...words) : this.#client.sendCommand(words, AS_BYTES)), late);
  }

  // A command that is not answered in time may still come to the server: every verb may come late.
  #within(more, start, late = undefined) {
    return new Promise((resolve, reject) => {
      const limit = this.#options.serverTimeout + more;
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(new Error(`the server does not answer within ${limit} ms`));
      }, Math.min(limit, 2 ** 31 - 1)); // a longer one would end at once
      start().then((reply) => (isLate ? late?.(reply) : resolve(reply)), reject).finally(() => clearTimeout(timer));
    });
  }
}

function leasesOf(names, answers) {
  return answers.map(([answer, , value, lease], i) => [names[i], answer.toString() === 'lease' ? value : lease]).filter(([, lease]) => lease);
}

function bytesOf(name) {
  return Buffer.from(name, 'latin1');
}

module.exports = { Verbs };
