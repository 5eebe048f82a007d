// SPDX-License-Identifier: Apache-2.0
// node put_module.mjs MODULE PAGE: puts the module of WebAssembly into the page, in place of the one that it has.
import { readFileSync, writeFileSync } from 'node:fs';

const [module, page] = process.argv.slice(2);
const lines = readFileSync(module, 'base64').match(/.{1,120}/g);
const before = readFileSync(page, 'utf8');
const place = /(<script id="module" [^>]*>\n)[^<]*(<\/script>)/;
if (!place.test(before)) throw new Error(`${page} has no place for a module`);
writeFileSync(page, before.replace(place, (_, begin, end) => `${begin}${lines.join('\n')}\n${end}`));
