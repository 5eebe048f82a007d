// SPDX-License-Identifier: Apache-2.0
'use strict';

// In node, for who gives the bytes of the module himself, as in a bundle.
const fs = require('node:fs');
const path = require('node:path');
const url = require('node:url');
const { lazily, needText, start } = require('./core.cjs');
const { filesOf } = require('./files.cjs');

needText(require('node:util'));
const own = () => fs.readFileSync(path.join(__dirname, 'bloomery.wasm'));
// Node 18 has no global one.
const crypto = globalThis.crypto ?? require('node:crypto').webcrypto;

module.exports = lazily(start(own, filesOf(fs, path, url), crypto));
