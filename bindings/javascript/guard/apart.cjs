// SPDX-License-Identifier: Apache-2.0
'use strict';

const ALL = new WeakMap();

/**
 * Connections of their own for commands that hold one, as WAIT does: as many as there are such commands at once. All guards of a
 * client share them, and they end with it. None of them connects again: what is sent in order is on one connection, or fails.
 */
class Apart {
  #client;
  #idle = [];

  static of(client) {
    if (!ALL.has(client)) ALL.set(client, new Apart(client));
    return ALL.get(client);
  }

  constructor(client) {
    this.#client = client;
    client.on?.('end', () => this.close());
  }

  /** The replies to the commands, which are sent one behind the other. `within` is given the work, and limits its time. */
  async inOrder(commands, options, within) {
    if (typeof this.#client.execute === 'function') return within(() => inPool(this.#client, commands, options)); // a pool
    if (this.#client.isCluster) throw new Error('a cluster has no replicas to wait for together');
    const one = this.#take();
    try {
      const replies = await within(() => one.opened.then(() => sent(one.client, commands, options)));
      this.#idle.push(one);
      return replies;
    } catch (error) {
      end(one.client); // what is still under way does not come late
      throw error;
    }
  }

  /** Ends those that nobody uses. */
  close() {
    for (const one of this.#idle.splice(0)) end(one.client);
  }

  #take() {
    for (let one = this.#idle.pop(); one; one = this.#idle.pop()) {
      if (one.client.isReady || one.client.status === 'ready') return one;
      end(one.client);
    }
    const client = typeof this.#client.callBuffer === 'function'
      ? this.#client.duplicate({ lazyConnect: true, retryStrategy: null, reconnectOnError: null, autoResendUnfulfilledCommands: false })
      : this.#client.duplicate({ socket: { ...this.#client.options?.socket, reconnectStrategy: false } });
    client.on('error', () => {}); // its commands fail
    const opened = client.connect().then(() => (client.stream ?? client).unref()); // idle, it keeps no process alive
    return { client, opened };
  }
}

async function sent(client, commands, options) {
  if (typeof client.callBuffer !== 'function') return Promise.all(commands.map((words) => client.sendCommand(words, options)));
  const replies = await client.pipeline(commands.map((words) => ['callBuffer', ...words])).exec();
  for (const [error] of replies) if (error) throw error;
  return replies.map(([, reply]) => reply);
}

// A client of a pool connects again by itself.
function inPool(pool, commands, options) {
  return pool.execute(async (client) => {
    const epoch = client.socketEpoch;
    const replies = await sent(client, commands, options);
    if (client.socketEpoch !== epoch) throw new Error('the connection was lost between two commands');
    return replies;
  });
}

function end(client) {
  const ended = async () => (client.destroy ? client.destroy() : client.disconnect());
  ended().catch(() => {}); // it had ended
}

module.exports = { Apart };
