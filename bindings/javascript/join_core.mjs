// SPDX-License-Identifier: Apache-2.0
// node join_core.mjs FOLDER: core/filters.mjs with all that it imports, in one file each for import (FOLDER/core.mjs)
// and for require (FOLDER/core.cjs).
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2];
const core = fileURLToPath(new URL('core', import.meta.url));
const IMPORT = /^import \{[^}]*\} from '\.\/(\w+\.mjs)';\n/gm;
const LICENCE = /^\/\/ SPDX-License-Identifier: .*\n/;

const seen = new Set();
const parts = [];
const join = (file) => {
  if (seen.has(file)) return;
  seen.add(file);
  const text = fs.readFileSync(path.join(core, file), 'utf8');
  for (const [, imported] of text.matchAll(IMPORT)) join(imported);
  parts.push(text.replace(LICENCE, '').replace(IMPORT, '').replace(/^export /gm, '').trim());
};
join('filters.mjs');

const all = `// SPDX-License-Identifier: Apache-2.0\n${parts.join('\n\n')}`;
fs.writeFileSync(path.join(folder, 'core.mjs'), `${all}\n\nexport { define };\n`);
fs.writeFileSync(path.join(folder, 'core.cjs'), `${all}\n\nmodule.exports = { define };\n`);
