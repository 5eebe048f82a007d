// SPDX-License-Identifier: Apache-2.0
// What docs/javascript.md says of tools: each line of its table, with the settings that it names.
import { copyFileSync } from 'node:fs';
import path from 'node:path';

import { folderOf, opened, run, say, servedBy } from './harness.mjs';

const WANTED = 'true false';
const ASK = `const filter = BlockedFilter.of(['alice']); const said = filter.has('alice') + ' ' + filter.has('bob');`;
const main = `import { BlockedFilter } from 'bloomery'; ${ASK} ${say('said')}`;
const failing = `.catch((error) => { ${say('error')} })`;
const waiting = (source, before) =>
  `import { init } from 'bloomery/init'; ${before} const go = async () => { const { BlockedFilter } = await init(${source}); ${ASK} ${say('said')} }; go()${failing};`;
const byUrl = waiting('url', `import url from 'bloomery/bloomery.wasm?url';`);
const page = (script) => `<!doctype html><script type="module" src="${script}"></script>`;
const worker = `new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });`;
const MODERN = `export default { build: { target: 'es2022' }, optimizeDeps: { exclude: ['bloomery'] }, worker: { format: 'es' } };`;
const wasm = (root) => path.join(root, 'node_modules/bloomery/bloomery.wasm');

const vite = (name, bin) => [
  [`${name} build, \`bloomery\``, { 'index.html': page('/main.js'), 'main.js': main, 'vite.config.mjs': MODERN }, 'build'],
  [`${name} build, \`bloomery/init\``, { 'index.html': page('/main.js'), 'main.js': byUrl }, 'build'],
  [`${name} build, a worker`, { 'index.html': page('/main.js'), 'main.js': worker, 'worker.js': byUrl, 'vite.config.mjs': MODERN }, 'build'],
  [`${name} dev, \`bloomery\``, { 'index.html': page('/main.js'), 'main.js': main, 'vite.config.mjs': MODERN }, 'dev'],
  [`${name} dev, \`bloomery/init\``, { 'index.html': page('/main.js'), 'main.js': byUrl }, 'dev'],
  [`${name} dev, a worker`, { 'index.html': page('/main.js'), 'main.js': worker, 'worker.js': byUrl, 'vite.config.mjs': MODERN }, 'dev'],
].map(([title, files, how]) => ({
  name: title,
  needsBrowser: true,
  async try(root) {
    const folder = folderOf(root, title, files);
    const program = path.join(root, bin);
    if (how === 'dev') return servedBy(root, folder, 'node', program, '--host', '127.0.0.1', '--port', '0');
    await run(root, folder, 'node', program, 'build', '--logLevel', 'error');
    return opened(path.join(folder, 'dist'));
  },
}));

const built = (name, files, build, out = 'dist') => ({
  name,
  needsBrowser: true,
  async try(root) {
    const folder = folderOf(root, name, files);
    await build(root, folder);
    return opened(path.join(folder, out));
  },
});

const printed = (name, files, act) => ({
  name,
  async try(root) {
    return (await act(root, folderOf(root, name, files))).trim();
  },
});

const PRINT = `import { init } from 'bloomery/init'; import bytes from 'bloomery/bloomery.wasm'; const { BlockedFilter } = await init(bytes); ${ASK} console.log(said);`;
const ROLLUP = `import resolve from '@rollup/plugin-node-resolve'; export default { input: 'main.js', output: { file: 'dist/main.js', format: 'es' }, plugins: [resolve({ browser: true })] };`;
const JEST = `const { BlockedFilter } = require('bloomery'); test('asks', () => { ${ASK} expect(said).toBe('${WANTED}'); });`;
const VITEST = `import { expect, test } from 'vitest'; import { BlockedFilter } from 'bloomery'; test('asks', () => { ${ASK} expect(said).toBe('${WANTED}'); });`;
const beside = async (root, folder) => copyFileSync(wasm(root), path.join(folder, 'dist/bloomery.wasm'));

const next = {
  name: 'Next.js 15, a page and its server',
  needsBrowser: true,
  async try(root) {
    const component = `'use client'; import { useEffect } from 'react'; export default function Ask({ server }) { useEffect(() => { const go = async () => { const { init } = await import('bloomery/init'); const { BlockedFilter } = await init('/bloomery.wasm'); ${ASK} ${say("server === said ? said : 'server: ' + server")} }; go()${failing}; }, []); return null; }`;
    const server = `import { BlockedFilter } from 'bloomery'; import Ask from './ask'; export const dynamic = 'force-dynamic'; export default function Page() { ${ASK} return <Ask server={said} />; }`;
    const folder = folderOf(root, this.name, {
      'app/layout.jsx': `export default function Layout({ children }) { return <html><body>{children}</body></html>; }`,
      'app/page.jsx': server,
      'app/ask.jsx': component,
      'next.config.mjs': `export default { serverExternalPackages: ['bloomery'], outputFileTracingRoot: ${JSON.stringify(root)} };`,
      'package.json': '{"private": true}',
      'public/readme.txt': 'beside this lies bloomery.wasm',
    });
    copyFileSync(wasm(root), path.join(folder, 'public/bloomery.wasm'));
    await run(root, folder, 'next', 'build');
    return servedBy(root, folder, 'next', 'start', '-H', '127.0.0.1', '-p', '0');
  },
};

export const cases = [
  ...vite('vite 6', 'node_modules/vite/bin/vite.js'),
  ...vite('vite 8', 'node_modules/vite8/bin/vite.js'),
  built('webpack 5', { 'src/index.js': main, 'dist/index.html': page('/main.js') }, (root, folder) => run(root, folder, 'webpack', '--mode', 'production')),
  built('rollup', { 'main.js': main, 'dist/index.html': page('/main.js'), 'rollup.config.mjs': ROLLUP }, async (root, folder) => {
    await run(root, folder, 'rollup', '-c');
    await beside(root, folder);
  }),
  built('esbuild, browser, modules', { 'main.js': main, 'dist/index.html': page('/main.js') }, async (root, folder) => {
    await run(root, folder, 'esbuild', 'main.js', '--bundle', '--format=esm', '--outfile=dist/main.js');
    await beside(root, folder);
  }),
  built('esbuild, browser, one script', { 'main.js': waiting('bytes', `import bytes from 'bloomery/bloomery.wasm';`), 'dist/index.html': '<!doctype html><script src="/main.js"></script>' }, (root, folder) =>
    run(root, folder, 'esbuild', 'main.js', '--bundle', '--loader:.wasm=binary', '--outfile=dist/main.js')),
  built('esbuild, browser, require', { 'main.js': `const { init } = require('bloomery'); const bytes = require('bloomery/bloomery.wasm'); const go = async () => { const { BlockedFilter } = await init(bytes); ${ASK} ${say('said')} }; go()${failing};`, 'dist/index.html': '<!doctype html><script src="/main.js"></script>' }, (root, folder) =>
    run(root, folder, 'esbuild', 'main.js', '--bundle', '--loader:.wasm=binary', '--outfile=dist/main.js')),
  printed('esbuild, node', { 'main.mjs': PRINT }, async (root, folder) => {
    await run(root, folder, 'esbuild', 'main.mjs', '--bundle', '--platform=node', '--format=esm', '--loader:.wasm=binary', '--outfile=dist/main.mjs');
    return run(root, folder, 'node', 'dist/main.mjs');
  }),
  ...['node', 'jsdom'].map((environment) =>
    printed(`jest 30, ${environment}`, { 'a.test.js': JEST, 'package.json': '{"private": true}' }, async (root, folder) => {
      await run(root, folder, 'jest', `--env=${environment}`);
      return WANTED;
    }),
  ),
  ...['node', 'jsdom'].map((environment) =>
    printed(`vitest, ${environment}`, { 'a.test.mjs': VITEST }, async (root, folder) => {
      await run(root, folder, 'vitest', 'run', `--environment=${environment}`);
      return WANTED;
    }),
  ),
  next,
];
export { WANTED };
