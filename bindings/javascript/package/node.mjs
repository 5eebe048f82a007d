// SPDX-License-Identifier: Apache-2.0
// The same classes as require('bloomery') gives.
import { init, initSync } from './node_init.mjs';

const bloomery = Object.assign(initSync(), { init, initSync });

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
