// SPDX-License-Identifier: Apache-2.0
// How an entry of the package comes to its classes.
import { define } from './filters.mjs';

const EXPORTED = [
  'version',
  'BloomeryError',
  'Filter',
  'BlockedFilter',
  'ClassicFilter',
  'CountingFilter',
  'ScalableFilter',
  'WindowedFilter',
  'StaticFilter',
];

// The started module, which all entries of one realm share.
let shared;

const isModule = (source) => source instanceof WebAssembly.Module;

const bytesOf = async (response) => {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
};

// A compiled module of bytes, of a response or where it is fetched from, or itself.
const moduleOf = async (given) => {
  const found = await (typeof given === 'string' || given instanceof URL ? fetch(given) : given);
  if (isModule(found)) return found;
  const isResponse = typeof found?.arrayBuffer === 'function';
  return WebAssembly.compile(isResponse ? await bytesOf(found) : found);
};

// For `complete` of start(), where files are fetched.
export const withFetch = (bloomery) => {
  bloomery.Filter.open = async function open(location, options) {
    return this.fromBytes(await bytesOf(await fetch(location)), options);
  };
  return bloomery;
};

// { init, initSync } of an entry. own(atOnce) gives its bloomery.wasm where the caller gives none;
// complete(bloomery) adds what the platform has.
export const start = (own, complete, crypto) => {
  const finish = (module) => (shared ??= complete(define(module, crypto)));
  const initSync = (source) => {
    if (shared !== undefined) return shared;
    const given = source ?? own(true);
    return finish(isModule(given) ? given : new WebAssembly.Module(given));
  };
  const init = async (source) => shared ?? finish(await moduleOf(source ?? own()));
  return { init, initSync };
};

// The exports of an entry for require(): the classes throw until init() or initSync() has run.
export const lazily = (calls) => {
  const entry = { ...calls };
  for (const name of EXPORTED) {
    Object.defineProperty(entry, name, {
      enumerable: true,
      get() {
        if (shared === undefined) throw new Error(`bloomery: ${name} is there after await init()`);
        return shared[name];
      },
    });
  }
  return entry;
};
