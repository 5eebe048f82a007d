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

// In one step, and on the disk when it is done: who reads it meanwhile has the old file or the new.
async function replaceFile(file, bytes) {
  const target = path.resolve(file);
  const folder = path.dirname(target);
  const fresh = `${target}.${process.pid}.${++saved}.tmp`;
  const handle = await fs.promises.open(fresh, 'wx');
  try {
    try {
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
  await replaceFile(file, this.toBytes({ format }));
};

module.exports = bloomery;
