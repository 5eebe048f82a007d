// SPDX-License-Identifier: Apache-2.0
// In node, for who gives the bytes of the module himself, as in a bundle; the classes are those of
// require('bloomery').
import { webcrypto } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import url from 'node:url';

import core from './core.cjs';
import files from './files.cjs';

export let version;
export let BloomeryError;
export let Filter;
export let BlockedFilter;
export let ClassicFilter;
export let CountingFilter;
export let ScalableFilter;
export let WindowedFilter;
export let StaticFilter;

const own = () => fs.readFileSync(new URL('./bloomery.wasm', import.meta.url));
const calls = core.start(own, files.filesOf(fs, path, url), webcrypto);

const put = (bloomery) => {
  ({
    version,
    BloomeryError,
    Filter,
    BlockedFilter,
    ClassicFilter,
    CountingFilter,
    ScalableFilter,
    WindowedFilter,
    StaticFilter,
  } = bloomery);
  return bloomery;
};
export const init = async (source) => put(await calls.init(source));
export const initSync = (source) => put(calls.initSync(source));
