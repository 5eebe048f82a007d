// SPDX-License-Identifier: Apache-2.0
import { BloomeryError } from './errors.mjs';

// What the module imports: a clock and random bytes, and what nobody calls but it names.
function systemOf(views, crypto) {
  const NO_FILE = 8;
  return {
    clock_time_get(clock, precision, at) {
      const now = clock === 0 ? Date.now() : performance.now();
      views.data().setBigUint64(at >>> 0, BigInt(Math.round(now * 1e6)), true);
      return 0;
    },
    getentropy(at, size) {
      crypto.getRandomValues(views.bytes().subarray(at >>> 0, (at >>> 0) + size));
      return 0;
    },
    environ_sizes_get(count, size) {
      views.data().setUint32(count >>> 0, 0, true);
      views.data().setUint32(size >>> 0, 0, true);
      return 0;
    },
    environ_get: () => 0,
    fd_close: () => NO_FILE,
    __syscall_dup3: () => -NO_FILE,
    emscripten_notify_memory_growth() {},
    proc_exit() {
      throw new WebAssembly.RuntimeError('bloomery.wasm ended itself');
    },
  };
}

// Its memory, as it is now.
function viewsOf(memory) {
  let bytesNow = new Uint8Array(0);
  let dataNow;
  // Growing the memory makes the views before it empty.
  const refresh = () => {
    bytesNow = new Uint8Array(memory().buffer);
    dataNow = new DataView(memory().buffer);
    return bytesNow;
  };
  return {
    bytes: () => (bytesNow.length === 0 ? refresh() : bytesNow),
    data: () => {
      if (bytesNow.length === 0) refresh();
      return dataNow;
    },
  };
}

// An instance of a compiled bloomery.wasm: its functions, its memory, and calls that mind traps.
export function instanceOf(module, crypto) {
  let wasm;
  const views = viewsOf(() => wasm.memory);
  const system = systemOf(views, crypto);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (!(name in system)) throw new WebAssembly.LinkError(`bloomery.wasm wants ${from}.${name}`);
    imports[from] ??= {};
    imports[from][name] = system[name];
  }
  wasm = { ...new WebAssembly.Instance(module, imports).exports };
  wasm._initialize?.();

  // Whoever traps may have left anything half done: no call follows.
  const fail = (error) => {
    if (!(error instanceof BloomeryError)) {
      for (const name of Object.keys(wasm)) {
        wasm[name] = () => {
          throw new BloomeryError('FAILED', `the module failed before: ${error.message}`);
        };
      }
    }
    throw error;
  };
  // Of calls that are no hot ones; those of the hot ones are caught where they are.
  const call = (name, ...given) => {
    try {
      return wasm[name](...given);
    } catch (error) {
      return fail(error);
    }
  };
  return { wasm, ...views, call, fail };
}
