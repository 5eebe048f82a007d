// SPDX-License-Identifier: Apache-2.0
'use strict';

// In node the module is compiled while this file is loaded: nobody waits for anything.
const { init, initSync } = require('./node_init.cjs');

module.exports = Object.assign(initSync(), { init, initSync });
