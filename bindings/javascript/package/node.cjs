// SPDX-License-Identifier: Apache-2.0
'use strict';

// In node the module is compiled while this file is loaded: nobody waits for anything.
const fs = require('node:fs');
const path = require('node:path');
const { define } = require('./core.cjs');

const wasm = fs.readFileSync(path.join(__dirname, 'bloomery.wasm'));
// Node 18 has no global one.
const crypto = globalThis.crypto ?? require('node:crypto').webcrypto;
const bloomery = define(new WebAssembly.Module(wasm), crypto);
const { Filter } = bloomery;

let saved = 0;

// Where a symbolic link leads, or the links that it leads to; the link stays.
async function namedBy(file) {
  const MOST_LINKS = 40;
  let target = path.resolve(file);
  for (let links = 0; links < MOST_LINKS; ++links) {
    const next = await fs.promises.readlink(target).catch(() => undefined);
    if (next === undefined) return target;
    target = path.resolve(path.dirname(target), next);
  }
  return target;
}

// The permissions that a file keeps when it is replaced; that of a secret is for its owner alone.
async function modeOf(target, isSecret) {
  const OWNER_ONLY = 0o600;
  const status = await fs.promises.stat(target).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const kept = status === undefined ? undefined : status.mode & 0o777;
  return isSecret ? (kept ?? OWNER_ONLY) & OWNER_ONLY : kept;
}

// In one step, and on the disk when it is done: who reads it meanwhile has the old file or the new.
async function replaceFile(file, bytes, isSecret) {
  const target = await namedBy(file);
  const folder = path.dirname(target);
  const mode = await modeOf(target, isSecret);
  const fresh = `${target}.${process.pid}.${++saved}.tmp`;
  const handle = await fs.promises.open(fresh, 'wx', mode);
  try {
    try {
      if (mode !== undefined) await handle.chmod(mode);
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.promises.rename(fresh, target);
  } catch (error) {
    await fs.promises.rm(fresh, { force: true });
    throw error;
  }
  if (process.platform === 'win32') return; // where folders are not opened
  const parent = await fs.promises.open(folder);
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}

Filter.open = async function open(file, options) {
  return this.fromBytes(await fs.promises.readFile(file), options);
};

Filter.prototype.save = async function save(file, { format } = {}) {
  if (format !== undefined && Object.keys(this.settingsOf(format)).length > 0) {
    throw new TypeError(
      `save: the bytes of ${format} do not say all; keep settingsOf('${format}') beside toBytes()`,
    );
  }
  await replaceFile(file, this.toBytes({ format }), this.secret);
};

module.exports = bloomery;
