// SPDX-License-Identifier: Apache-2.0
// In browsers, without an await at the top: the classes are there after await init().
import { start, withFetch } from './core.mjs';

export let version;
export let BloomeryError;
export let Filter;
export let BlockedFilter;
export let ClassicFilter;
export let CountingFilter;
export let ScalableFilter;
export let WindowedFilter;
export let StaticFilter;

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

const own = (atOnce) => {
  if (atOnce) throw new TypeError('initSync: bytes or a compiled module are expected');
  return fetch(new URL('./bloomery.wasm', import.meta.url));
};
export const { init, initSync } = start(own, (bloomery) => put(withFetch(bloomery)));
