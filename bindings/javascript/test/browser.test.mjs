// SPDX-License-Identifier: Apache-2.0
// The same package in a Chromium, as a page imports it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { webcrypto as crypto } from 'node:crypto';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';

import { chromium, startChromium } from './chromium.mjs';
import { bloomery, golden, packageFolder, texts } from './support.mjs';

// What it finds out it sends back.
const PAGE = `<!doctype html><title>test</title><script type="module">
const say = (what) => fetch('/said', { method: 'POST', body: JSON.stringify(what) });
try {
  const { BlockedFilter, Filter, StaticFilter } = await import('/package/browser.mjs');
  const keys = Array.from({ length: 1000 }, (_, i) => 'key ' + i);
  const filter = new BlockedFilter({ capacity: 1000, rate: 0.01 });
  filter.addMany(keys);
  const bytes = [...new Uint8Array(await crypto.subtle.digest('SHA-256', filter.toBytes()))];
  const opened = await Filter.open('/golden.bloom');
  const fixed = StaticFilter.of([1, 2, 3]);
  const secret = new BlockedFilter({ capacity: 9, secret: true });
  secret.add('a');
  let refused = 'nothing';
  try {
    Filter.fromBytes(new Uint8Array(100));
  } catch (error) {
    refused = error.code;
  }
  say({
    denied: keys.filter((key) => !filter.has(key)).length,
    other: filter.has('other'),
    digest: bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    golden: Array.from({ length: 500 }, (_, i) => opened.has('member:' + i)).every(Boolean),
    fixed: fixed.has(2), secret: secret.has('a') && !secret.has('b'), refused,
  });
} catch (error) {
  say({ error: String(error.stack) });
}
</script>`;

const TYPES = { '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

async function textOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return text;
}

test('a page imports it', { skip: !chromium && 'no chromium here' }, async () => {
  let hear;
  const heard = new Promise((resolve, reject) => (hear = { resolve, reject }));
  const server = http.createServer(async (request, response) => {
    if (request.url === '/') return response.setHeader('Content-Type', 'text/html').end(PAGE);
    if (request.url === '/golden.bloom') return response.end(golden('native/blocked.bloom'));
    if (request.url === '/said') {
      hear.resolve(JSON.parse(await textOf(request)));
      return response.end();
    }
    const name = path.basename(request.url);
    if (path.dirname(request.url) !== '/package') return response.writeHead(404).end();
    response.setHeader('Content-Type', TYPES[path.extname(name)] ?? 'text/plain');
    response.end(readFileSync(path.join(packageFolder, name)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = startChromium(`http://127.0.0.1:${server.address().port}/`);
  browser.ended.then(() => hear.reject(new Error(`${chromium} ended`)), hear.reject);
  const patience = setTimeout(() => hear.reject(new Error('the page said nothing')), 120_000);
  try {
    const said = await heard;
    const filter = new bloomery.BlockedFilter({ capacity: 1000, rate: 0.01 });
    filter.addMany(texts(1000, 'key '));
    const digest = await crypto.subtle.digest('SHA-256', filter.toBytes());
    assert.deepEqual(said, {
      denied: 0,
      other: false,
      digest: Buffer.from(digest).toString('hex'),
      golden: true,
      fixed: true,
      secret: true,
      refused: 'BAD_FORMAT',
    });
  } finally {
    clearTimeout(patience);
    await browser.stop();
    server.close();
    server.closeAllConnections?.();
  }
});
