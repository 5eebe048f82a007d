// SPDX-License-Identifier: Apache-2.0
'use strict';

// In browsers, for bundlers that meet a require(): it has no place of its own to fetch from.
const { lazily, start, withFetch } = require('./core.cjs');

const own = () => {
  throw new TypeError('init: the bytes of bloomery/bloomery.wasm are expected, or their URL');
};
module.exports = lazily(start(own, withFetch));
