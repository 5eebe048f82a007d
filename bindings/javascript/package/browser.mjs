// SPDX-License-Identifier: Apache-2.0
// In browsers, and where else modules are fetched: whoever imports this waits until it is compiled.
import { init, initSync } from './init.mjs';

const bloomery = Object.assign(await init(), { init, initSync });

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
export { init, initSync };
export default bloomery;
