// SPDX-License-Identifier: Apache-2.0
// One actor of the scenes, over the guard for node: JSON a line on standard input, and its answers on standard output. The word
// is the client: ioredis, redis (5) or redis4. BLOOMERY_NODE_FOLDER has them.
import { createRequire } from 'node:module';
import readline from 'node:readline';
import { Guard, GuardError } from '../../../bindings/javascript/guard/guard.mjs';

const require = createRequire(`${process.env.BLOOMERY_NODE_FOLDER}/`);
const kind = process.argv[2];
const lines = { commands: [], rows: [], waiting: { commands: [], rows: [] } };

class LoaderError extends Error {}

function say(words) {
  process.stdout.write(`${JSON.stringify(words)}\n`);
}

function hear(which) {
  if (lines[which].length > 0) return lines[which].shift();
  return new Promise((resolve) => lines.waiting[which].push(resolve));
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const said = JSON.parse(line);
  const which = 'do' in said ? 'commands' : 'rows';
  const next = lines.waiting[which].shift();
  if (next) next(said);
  else lines[which].push(said);
}).on('close', () => process.exit());

async function load(keys) {
  say({ load: keys });
  const said = await hear('rows');
  if (!('rows' in said)) throw new LoaderError();
  return said.rows;
}

async function connect(port) {
  if (kind === 'ioredis') {
    const client = new (require('ioredis'))({ port, host: '127.0.0.1', retryStrategy: () => 20 });
    client.on('error', () => {});
    return client;
  }
  const client = require(kind).createClient({ socket: { port, host: '127.0.0.1', reconnectStrategy: 20 } });
  client.on('error', () => {});
  return client.connect();
}

const options = (given) => Object.fromEntries(Object.entries(given).map(([name, value]) => [
  name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), /life|limit|wait/.test(name) ? value * 1000 : value]));
let client;
let guard;
const marks = new Map();
const verbs = {
  async open(said) {
    client?.destroy ? client.destroy() : await client?.disconnect();
    client = await connect(said.port);
    guard = new Guard(client, said.name, { serverTimeout: 2000, ...options(said.options) });
    return { did: 'open' };
  },
  get: async ({ keys }) => ({ rows: [await guard.get(keys[0], async (key) => (await load([key]))[0])] }),
  async get_many({ keys }) {
    const rows = await guard.getMany(keys, load);
    return { rows: keys.map((key) => rows.get(key)) };
  },
  async announce(said) {
    marks.set(said.as, await guard.announce(said.keys, { wait: said.wait ?? 0, waitLimit: said.limit }));
    return { did: 'announce' };
  },
  renew: async (said) => ({ held: await marks.get(said.as).renew() }),
  release: async (said) => (await marks.get(said.as).release(), { did: 'release' }),
  erase: async (said) => (await guard.erase(...said.keys), { did: 'erase' }),
  reopen: async () => (await guard.open(), { did: 'reopen' }),
};
for (;;) {
  const said = await hear('commands');
  try {
    say(await verbs[said.do](said));
  } catch (error) {
    say({ error: error instanceof GuardError || error instanceof LoaderError ? error.constructor.name : String(error) });
  }
}
