// SPDX-License-Identifier: Apache-2.0
// fences.mjs SECONDS URL...: the fence that each URL gives in that time, a line each; or "none".
import { NoFence, followerFence } from '../../../bindings/javascript/guard/guard.mjs';

const [seconds, ...urls] = process.argv.slice(2);
for (const url of urls) {
  try {
    console.log((await followerFence(url, { timeout: 1000 * seconds })).join(' '));
  } catch (error) {
    if (!(error instanceof NoFence)) throw error;
    console.log('none');
  }
}
