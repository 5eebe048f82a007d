// SPDX-License-Identifier: Apache-2.0
// The calculator's page has the module that its sources make, and computes with it from disk.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { chromium, startChromium } from './chromium.mjs';
import { source } from './support.mjs';

const page = path.join(source, 'docs/calculator/index.html');

test('the page has the module that was built now', () => {
  const [, module] = /<script id="module" [^>]*>([^<]*)</.exec(readFileSync(page, 'utf8'));
  const built = readFileSync(process.env.BLOOMERY_CALCULATOR, 'base64');
  const how = 'cmake --build build/javascript --target calculator_page';
  assert.ok(module.replaceAll('\n', '') === built, `${page} has another module than the sources make: ${how}`);
});

// What the page at an address that ends with `state` has in its elements.
async function show(state) {
  const browser = startChromium('--dump-dom', `${pathToFileURL(page)}#${state}`);
  try {
    const shown = await browser.ended;
    const of = (id) => new RegExp(` id="${id}"[^>]*>(.*?)</(?:h2|div|p|dl|table|pre|small|output)>`, 's').exec(shown)[1];
    return { shown, of };
  } finally {
    await browser.stop();
  }
}

const inChromium = { skip: !chromium && 'no chromium here', timeout: 120_000 };

test('the page shows what it computes', inChromium, async () => {
  const { shown, of } = await show('n=900*1000000&p=0.1%25');
  assert.equal(of('message'), '');
  assert.equal(of('big-textbook'), '1.51 GiB');
  assert.match(of('list-textbook'), /<dd>12,939,828,810<\/dd>.*<dd>14.38<\/dd>.*<dd>9.966<\/dd>/);
  assert.match(of('list-beside'), /<dd>0.1 % · 1 in 1,000<\/dd><dt>keys<\/dt><dd>900,000,000<\/dd>/);
  assert.match(of('places'), /in 64 partitions of /);
  assert.match(shown, /<path d="M[0-9. L]{500,}"/);
  assert.match(shown, /id="growth" hidden/);
});

test('the address says kind, load, what to paste and the language', inChromium, async () => {
  const { shown, of } = await show('n=10000&p=0.01&kind=scalable&load=2.5&tab=C&lang=zh');
  assert.match(of('name-chosen'), /scalable/);
  assert.match(of('load-text'), /2\.5.*25,000/);
  assert.match(of('snippet'), /options\.kind = "scalable";/);
  assert.match(of('layers'), /<th scope="row">1<\/th><td>10,000<\/td>.*<th scope="row">8<\/th>/);
  assert.doesNotMatch(shown, /id="growth" hidden/);
});

test('what is refused is refused in the language of the page, with its numbers', inChromium, async () => {
  assert.match((await show('n=10000&p=oft&kind=guava&lang=zh')).of('message'), /^“oft”不是误判率/);
  assert.match((await show('n=9e8&p=0.1%25&kind=redisson')).of('what-chosen'), /at a rate of 0.001 would take 12939828809 bits/);
});

test('the page says where it cannot compute', inChromium, async () => {
  const browser = startChromium('--js-flags=--jitless', '--dump-dom', pathToFileURL(page)); // no WebAssembly
  try {
    assert.match(await browser.ended, / id="message"[^>]*>This page needs JavaScript and WebAssembly/);
  } finally {
    await browser.stop();
  }
});
