// SPDX-License-Identifier: Apache-2.0
'use strict';

const { GuardError } = require('./errors.cjs');

class NoFence extends GuardError {}

/** Asks `bloomery follow --metrics` at http://HOST:PORT how far the database is now: [source, position]. */
async function followerFence(url, { timeout = 3000 } = {}) {
  let text;
  let isThere;
  try {
    const reply = await fetch(`${String(url).replace(/\/+$/, '')}/fence`, { signal: AbortSignal.timeout(timeout), cache: 'no-store' });
    text = await reply.text();
    isThere = reply.ok;
  } catch (error) {
    throw new NoFence(error.message, { cause: error });
  }
  if (!isThere) throw new NoFence(text.slice(0, 500).trim());
  const found = /^([0-9a-f]{32}) (\d{1,20})\n$/.exec(text);
  if (!found) throw new NoFence(`${url} is no follower's`);
  return [found[1], found[2]];
}

/** An empty source or position would be no fence on the server. */
function checkFence(fence) {
  if (fence === null || fence === undefined) return;
  const [source, position] = Array.isArray(fence) ? fence : [];
  const isPosition = typeof position === 'string' ? position !== '' : typeof position === 'bigint' || Number.isSafeInteger(position);
  if (typeof source !== 'string' || source === '' || !isPosition || position < 0) {
    throw new TypeError('a fence is [source, position], neither of which is empty');
  }
}

module.exports = { NoFence, checkFence, followerFence };
