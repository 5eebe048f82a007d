// SPDX-License-Identifier: Apache-2.0
// node try_tools.mjs TARBALL [NAME]: installs the package for npm beside tools that people build and test with, and tries
// each as docs/javascript.md says; those whose name begins with NAME. Needs npm's registry, and a Chromium for pages.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { cases, WANTED } from './cases.mjs';
import { closeEar, hasBrowser } from './harness.mjs';

const TOOLS = {
  node: '22',
  vite: '6',
  vite8: 'npm:vite@8',
  webpack: '5',
  'webpack-cli': '6',
  rollup: '4',
  '@rollup/plugin-node-resolve': '16',
  esbuild: '0.25',
  jest: '30',
  'jest-environment-jsdom': '30',
  vitest: '3',
  jsdom: '26',
  next: '15',
  react: '19',
  'react-dom': '19',
};

const [tarball, only = ''] = process.argv.slice(2);
const root = process.env.BLOOMERY_TOOLS ?? mkdtempSync(path.join(os.tmpdir(), 'bloomery-tools-'));
const dependencies = { ...TOOLS, bloomery: `file:${path.resolve(tarball)}` };
writeFileSync(path.join(root, 'package.json'), JSON.stringify({ private: true, dependencies }));
let failures = 0;
try {
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--force'], { cwd: root, stdio: 'inherit' });
  for (const name of Object.keys(TOOLS)) {
    const { version } = JSON.parse(readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8'));
    console.log(`${name} ${version}`);
  }
  for (const one of cases.filter(({ name }) => name.startsWith(only))) {
    if (one.needsBrowser && !hasBrowser) {
      console.log(`${one.name}: not tried, no chromium here`);
      continue;
    }
    const said = await one.try(root).catch((error) => String(error.message));
    console.log(`${one.name}: ${said === WANTED ? 'works' : `FAILS: ${said.slice(0, 2000)}`}`);
    failures += said === WANTED ? 0 : 1;
  }
} finally {
  closeEar();
  if (process.env.BLOOMERY_TOOLS === undefined) rmSync(root, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
