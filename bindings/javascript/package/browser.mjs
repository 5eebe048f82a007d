// SPDX-License-Identifier: Apache-2.0
// In browsers, and where else modules are fetched: whoever imports this waits until it is compiled.
import { define } from './core.mjs';

const source = await fetch(new URL('./bloomery.wasm', import.meta.url));
if (!source.ok) throw new Error(`${source.url}: ${source.status} ${source.statusText}`);
const bloomery = define(await WebAssembly.compile(await source.arrayBuffer()));

bloomery.Filter.open = async function open(location, options) {
  const response = await fetch(location);
  if (!response.ok) throw new Error(`${location}: ${response.status} ${response.statusText}`);
  return this.fromBytes(await response.arrayBuffer(), options);
};

export const {
  version,
  BloomeryError,
  Filter,
  BlockedFilter,
  ClassicFilter,
  CountingFilter,
  ScalableFilter,
  WindowedFilter,
  StaticFilter,
} = bloomery;
export default bloomery;
