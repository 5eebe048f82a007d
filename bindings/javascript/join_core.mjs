// SPDX-License-Identifier: Apache-2.0
// node join_core.mjs FOLDER: core/start.mjs with all that it imports, in one file each for import (FOLDER/core.mjs) and
// for require (FOLDER/core.cjs), which both of node's entries share; FOLDER/files.cjs is for these. The guard's files for
// require, too. All without comments and indentation.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2];
const core = fileURLToPath(new URL('core', import.meta.url));
const IMPORT = /^import \{[^}]*\} from '\.\/(\w+\.mjs)';\n/gm;
const LICENCE = /^\/\/ SPDX-License-Identifier: .*\n/;

const COMMENT = /^ *\/\/ .*\n/gm;
const INDENTATION = /^ +/gm; // no text of the sources goes on in another line

const shortened = (text) => text.replace(LICENCE, '').replace(COMMENT, '').replace(INDENTATION, '');

const seen = new Set();
const join = (file) => {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = fs.readFileSync(path.join(core, file), 'utf8');
  const before = [...text.matchAll(IMPORT)].flatMap(([, imported]) => join(imported));
  return [...before, shortened(text.replace(IMPORT, '')).replace(/^export /gm, '').trim()];
};

const SHARED = ['start', 'withFetch'];
const licence = '// SPDX-License-Identifier: Apache-2.0\n';
const all = licence + join('start.mjs').join('\n\n');
const forNode = join('node_files.mjs').join('\n\n');
fs.writeFileSync(path.join(folder, 'core.mjs'), `${all}\n\nexport { ${SHARED.join(', ')} };\n`);
const required = [...SHARED, 'lazily', 'needText'];
fs.writeFileSync(path.join(folder, 'core.cjs'), `${all}\n\nmodule.exports = { ${required.join(', ')} };\n`);
fs.writeFileSync(path.join(folder, 'files.cjs'), `${licence}${forNode}\n\nmodule.exports = { filesOf };\n`);

// The guard, which is written for require() as it is.
const guard = fileURLToPath(new URL('guard', import.meta.url));
fs.mkdirSync(path.join(folder, 'guard'), { recursive: true });
for (const name of fs.readdirSync(guard).filter((each) => each.endsWith('.cjs'))) {
  fs.writeFileSync(path.join(folder, 'guard', name), licence + shortened(fs.readFileSync(path.join(guard, name), 'utf8')));
}
