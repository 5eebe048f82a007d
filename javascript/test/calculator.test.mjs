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

test('the page shows what it computes', { skip: !chromium && 'no chromium here', timeout: 120_000 }, async () => {
  const address = `${pathToFileURL(page)}#n=900*1000000&p=0.1%25`;
  const browser = startChromium('--dump-dom', address);
  try {
    const shown = await browser.ended;
    const of = (id) => new RegExp(` id="${id}"[^>]*>(.*?)</(?:div|p|dl|table|pre|small)>`).exec(shown)[1];
    assert.equal(of('message'), '');
    assert.equal(of('big-textbook'), '1.51 GiB');
    assert.match(of('list-textbook'), /<dd>12,939,828,810<\/dd>.*<dd>14.38<\/dd>.*<dd>9.966<\/dd>/);
    assert.match(of('list-classic'), /<dd>0.1 % · 1 in 1,000<\/dd><dt>keys<\/dt><dd>900,000,000<\/dd>/);
    assert.match(shown, /<path d="M[0-9. L]{500,}"/);
  } finally {
    await browser.stop();
  }
});

test('the page says where it cannot compute', { skip: !chromium && 'no chromium here', timeout: 120_000 }, async () => {
  const browser = startChromium('--js-flags=--jitless', '--dump-dom', pathToFileURL(page)); // no WebAssembly
  try {
    assert.match(await browser.ended, / id="message"[^>]*>This page needs JavaScript and WebAssembly/);
  } finally {
    await browser.stop();
  }
});
