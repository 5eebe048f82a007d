// SPDX-License-Identifier: Apache-2.0
// What trying a tool takes: a folder of files, a program that runs, a page that is opened and says what it found.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';

import { chromium, startChromium } from '../test/chromium.mjs';

export const hasBrowser = Boolean(chromium);
const PATIENCE_MS = 120_000;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

const listen = async (answer) => {
  const server = http.createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections?.();
  };
  return { port: server.address().port, close };
};

// Hears what the pages report by fetch(`${ear.url}?${text}`, { mode: 'no-cors' }).
let hear = () => {};
const ear = await listen((request, response) => {
  response.end();
  hear(decodeURIComponent(new URL(request.url, 'http://ear').search.slice(1)));
});
export const say = (text) => `fetch('http://127.0.0.1:${ear.port}/?' + encodeURIComponent(${text}), { mode: 'no-cors' });`;
export const closeEar = () => ear.close();

// A case's own folder, with its files.
export const folderOf = (root, name, files) => {
  const folder = path.join(root, 'cases', name.replaceAll(/[^a-z0-9]+/gi, '_'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
};

const pathWith = (root) => {
  const bin = path.join(root, 'node_modules/.bin');
  const node = path.join(root, 'node_modules/node/bin');
  return { ...process.env, PATH: `${node}:${bin}:${process.env.PATH}`, CI: '1', NEXT_TELEMETRY_DISABLED: '1' };
};

// Runs a program of the folder's tools to its end; what it wrote.
export const run = async (root, folder, program, ...given) => {
  try {
    const { stdout } = await promisify(execFile)(program, given, { cwd: folder, env: pathWith(root), timeout: 4 * PATIENCE_MS });
    return stdout;
  } catch (error) {
    throw new Error(`${program} ${given.join(' ')}: ${error.stdout}${error.stderr}`);
  }
};

// Opens a page until it says something.
export const heardFrom = async (url) => {
  const heard = new Promise((resolve, reject) => {
    hear = resolve;
    setTimeout(() => reject(new Error(`${url} said nothing`)), PATIENCE_MS).unref();
  });
  const browser = startChromium(url);
  try {
    return await heard;
  } finally {
    await browser.stop();
  }
};

// Serves a folder as it is, and opens its page.
export const opened = async (folder) => {
  const server = await listen((request, response) => {
    const name = new URL(request.url, 'http://page').pathname;
    try {
      const bytes = readFileSync(path.join(folder, name === '/' ? 'index.html' : name));
      response.setHeader('Content-Type', TYPES[path.extname(name)] ?? 'text/html');
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  try {
    return await heardFrom(`http://127.0.0.1:${server.port}/`);
  } finally {
    server.close();
  }
};

// Begins a server of a tool's, which writes where it listens, and opens that.
export const servedBy = async (root, folder, program, ...given) => {
  const child = spawn(program, given, { cwd: folder, env: pathWith(root), detached: true });
  const url = new Promise((resolve, reject) => {
    let written = '';
    const take = (piece) => {
      written += piece.toString().replaceAll(/\u001b\[[0-9;]*m/g, '');
      const found = /http:\/\/(localhost|127\.0\.0\.1):\d+/.exec(written);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('close', () => reject(new Error(`${program} ended: ${written}`)));
  });
  try {
    return await heardFrom(await url);
  } finally {
    process.kill(-child.pid);
  }
};
