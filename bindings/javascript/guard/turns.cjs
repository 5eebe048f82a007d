// SPDX-License-Identifier: Apache-2.0
'use strict';

const { Overloaded } = require('./errors.cjs');

/** At most `most` queries at once; who waits longer than `wait` ms for a turn is refused. */
class Turns {
  #free;
  #most;
  #wait;
  #queue = new Set();

  constructor(most, wait) {
    this.#free = this.#most = most;
    this.#wait = wait;
  }

  async with(query, signal) {
    await this.#take(signal);
    try {
      return await query();
    } finally {
      const next = this.#queue.values().next().value;
      if (next) next();
      else this.#free++;
    }
  }

  #take(signal) {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#queue.delete(turn);
      };
      const turn = () => (leave(), resolve());
      const abort = () => (leave(), reject(signal.reason));
      const timer = setTimeout(() => (leave(), reject(new Overloaded(`${this.#most} queries run already`))),
        Math.min(this.#wait, 2 ** 31 - 1)); // a longer one would end at once
      signal?.addEventListener('abort', abort, { once: true });
      this.#queue.add(turn);
    });
  }
}

module.exports = { Turns };
