// SPDX-License-Identifier: Apache-2.0
// The js blocks of the documents print what the output blocks behind them say.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

import { packageFolder, source } from './support.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'bloomery-docs-'));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(path.join(folder, 'node_modules'));
symlinkSync(packageFolder, path.join(folder, 'node_modules/bloomery'));

const pages = readdirSync(path.join(source, 'docs')).filter((name) => name.endsWith('.md'));
const documents = [...pages.map((name) => `docs/${name}`), 'README.md', 'README.zh-CN.md', 'bindings/javascript/package/README.md'];

test('the blocks of the documents run', () => {
  let count = 0;
  for (const document of documents) {
    const text = readFileSync(path.join(source, document), 'utf8');
    for (const [, program, output] of text.matchAll(/^```js\n([^]*?)^```\n(?:```output\n([^]*?)^```)?/gm)) {
      const file = path.join(folder, `block_${++count}.mjs`);
      writeFileSync(file, program);
      const said = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
      if (output !== undefined) assert.equal(said, output, document);
    }
  }
  assert.ok(count >= 4, `${count} blocks`);
});
