// SPDX-License-Identifier: Apache-2.0
// The same classes as require('bloomery') gives.
import bloomery from './node.cjs';

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
