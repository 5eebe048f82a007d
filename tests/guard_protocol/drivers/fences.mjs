// SPDX-License-Identifier: Apache-2.0
// The fence that each URL gives, a line each; or "none".
import { NoFence, followerFence } from '../../../bindings/javascript/guard/guard.mjs';

for (const url of process.argv.slice(2)) {
  try {
    console.log((await followerFence(url)).join(' '));
  } catch (error) {
    if (!(error instanceof NoFence)) throw error;
    console.log('none');
  }
}
