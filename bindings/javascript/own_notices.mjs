// SPDX-License-Identifier: Apache-2.0
// node own_notices.mjs NOTICES FOLDER: FOLDER/THIRD-PARTY, with what of the notices is about the package for npm.
import fs from 'node:fs';
import path from 'node:path';

const [notices, folder] = process.argv.slice(2);
const OTHERS = ['CLI11', 'JSON for Modern C++', 'fmt']; // of the command alone
// A section is a name, a line of dashes, and all up to the next.
const sections = fs.readFileSync(notices, 'utf8').split(/^(?=[^\n]+\n---+\n)/m);
const nameOf = (section) => section.slice(0, section.indexOf('\n'));
for (const name of OTHERS) {
  if (!sections.some((section) => nameOf(section) === name)) throw new Error(`${notices} has no section ${name}`);
}
const kept = sections.filter((section) => !OTHERS.includes(nameOf(section))).join('');
fs.writeFileSync(path.join(folder, 'THIRD-PARTY'), kept.replace(/^\| command +\|.*\n/m, ''));
