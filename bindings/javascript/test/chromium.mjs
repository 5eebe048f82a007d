// SPDX-License-Identifier: Apache-2.0
// A Chromium, where there is one. CHROMIUM: which; else the usual names; an empty one: none.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

function findChromium() {
  if (process.env.CHROMIUM !== undefined) return process.env.CHROMIUM;
  const folders = process.env.PATH.split(':');
  const names = folders.flatMap((folder) => ['chromium', 'google-chrome'].map((name) => path.join(folder, name)));
  return names.find((name) => {
    try {
      return readFileSync(name).length > 0;
    } catch {
      return false;
    }
  });
}
export const chromium = findChromium();

// Begins it with a profile of its own. `ended` is what it wrote; it fails where the browser did not come to its end
// by itself. stop() ends it.
export function startChromium(...given) {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'bloomery-chromium-'));
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const always = ['--headless', '--disable-gpu', `--user-data-dir=${profile}`];
  const browser = spawn(chromium, [...always, ...root, ...given], { stdio: ['ignore', 'pipe', 'ignore'] });
  let written = '';
  browser.stdout.setEncoding('utf8').on('data', (piece) => (written += piece));
  const closed = new Promise((resolve) => browser.on('close', resolve));
  const ended = new Promise((resolve, reject) => {
    browser.on('error', reject);
    browser.on('close', (code) => (code === 0 ? resolve(written) : reject(new Error(`${chromium} ended with ${code}`))));
  });
  ended.catch(() => {}); // who waits for it hears of it
  const stop = async () => {
    browser.kill();
    await closed;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { ended, stop };
}
