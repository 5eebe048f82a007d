// SPDX-License-Identifier: Apache-2.0
// What the tests share: the package that is tested, and the files that all languages read.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = path.dirname(fileURLToPath(import.meta.url));
export const source = path.resolve(folder, '../../..');
export const packageFolder = process.env.BLOOMERY_PACKAGE;
if (!packageFolder) throw new Error('BLOOMERY_PACKAGE: which folder has the package?');

export const bloomery = await import(pathToFileURL(path.join(packageFolder, 'node.mjs')).href);
export const required = createRequire(import.meta.url)(packageFolder);

export const golden = (file) => readFileSync(path.join(source, 'tests/golden', file));
export const texts = (count, prefix) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
export const isCode = (code, message = /./) => (error) =>
  error.name === 'BloomeryError' && error.code === code && message.test(error.message);
