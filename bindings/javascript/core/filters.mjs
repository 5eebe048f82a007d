// SPDX-License-Identifier: Apache-2.0
// The classes over a compiled bloomery.wasm: the same in every engine.
import { batchesOf, gathered } from './batches.mjs';
import { buildStatic } from './build_static.mjs';
import { BloomeryError } from './errors.mjs';
import { instanceOf } from './instance.mjs';
import { refuseMore } from './keys.mjs';
import { decoder, memoryOf } from './memory.mjs';
import { objectOf, settingsText, widthOf, withOptions } from './options.mjs';
import { singleCallsOf } from './single_calls.mjs';
import { stageIn } from './stage.mjs';
import { isBuffer, isBytes } from './typed_arrays.mjs';

const MAYBE = 1;
const UNKNOWN = 2;
const ABSENT = 3;
const SATURATED = 7;
const ADDED = 4;
const OK = 0;

const MANY = 'many keys are an array, addMany(keys) and hasMany(keys)';

const HANDLE = Symbol('handle');

// An object that structuredClone() and postMessage() refuse, as any with a slot of the engine's own
// that they do not know: of a filter they would make an empty object.
class Uncloneable {
  constructor() {
    return Reflect.construct(FinalizationRegistry, [() => {}], new.target);
  }
}

export function define(module, crypto = globalThis.crypto) {
  const memory = memoryOf(instanceOf(module, crypto));
  const { wasm, bytes, data, call, textAt, lastError, check, take, withBytes, withText } = memory;
  const { takeResult } = memory;
  const stage = stageIn(memory);
  const { ask, insert, erase } = singleCallsOf(memory, stage);
  const batchOf = batchesOf(memory, stage);

  // What is asked or inserted of many keys: send(count) tells of those that are staged.
  const inserting = (filter, total) => () => {
    check(call('bloomery_insert_many', filter, stage.keys, 0, stage.added));
    total.added += data().getUint32(stage.added, true);
  };
  const askMany = (filter, batch, answers, alone) => {
    let done = 0;
    const send = (count) => {
      check(call('bloomery_ask_many', filter, stage.keys, stage.answers));
      const view = bytes();
      for (let i = 0; i < count; ++i) answers[done + i] = view[stage.answers + i] === ABSENT ? 0 : 1;
      done += count;
    };
    batch.run(send, (key) => {
      answers[done++] = alone(key) ? 1 : 0;
    });
    return answers;
  };

  // Nothing is left to give back where the module failed before.
  const unlessFailed = (name, filter) => {
    try {
      call(name, filter);
    } catch (error) {
      if (error.code !== 'FAILED') throw error;
    }
  };
  const registry = new FinalizationRegistry((filter) => unlessFailed('bloomery_close', filter));

  const fromHandle = (handle, asked) => {
    if (handle === 0) throw lastError();
    const filter = new Filter({ [HANDLE]: handle });
    const Class = CLASSES[filter.kind === 'fuse' ? 'static' : filter.kind] ?? Filter;
    const isOfIts = asked.prototype instanceof Class;
    Object.setPrototypeOf(filter, (isOfIts ? asked : Class).prototype);
    if (filter instanceof asked) return filter;
    const kind = filter.kind;
    filter.free();
    throw new BloomeryError('INCOMPATIBLE', `${asked.name}: that is a ${kind} filter`);
  };

  class Filter extends Uncloneable {
    #handle = 0;
    // What never changes.
    #kind;
    #rate;
    #secret;

    constructor(options) {
      super();
      const fixed = new.target.kind;
      if (options?.[HANDLE] !== undefined) {
        this.#handle = options[HANDLE];
      } else {
        if (fixed !== undefined && objectOf(options).kind !== undefined && options.kind !== fixed) {
          throw new TypeError(`options: kind ${options.kind} of a ${new.target.name}`);
        }
        const full = fixed === undefined ? options : { ...options, kind: fixed };
        this.#handle = withOptions(memory, full, (at) => call('bloomery_make', at));
        if (this.#handle === 0) throw lastError();
      }
      registry.register(this, this.#handle, this);
      check(call('bloomery_heed_refusals', this.#handle));
      this.#secret = check(call('javascript_is_secret', this.#handle)) !== 0;
      this.#rate = call('javascript_rate', this.#handle);
      this.#kind = textAt(call('javascript_kind', this.#handle));
    }

    get #live() {
      if (this.#handle === 0) throw new BloomeryError('FREED', 'the filter was freed');
      return this.#handle;
    }

    static of(given, options = {}) {
      const keys = gathered(given);
      const { width, ...rest } = objectOf(options);
      const kind = this.kind ?? rest.kind;
      const batch = batchOf(keys, width);
      if (kind !== 'static' && kind !== 'fuse') {
        const Class = this;
        const filter = new Class({ capacity: Math.max(batch.count, 1), ...rest });
        filter.addMany(keys, { width });
        return filter;
      }
      const full = { ...rest, kind };
      return fromHandle(buildStatic(memory, stage, full, keys, batch.count, width), this);
    }

    static fromBytes(given, { format, settings, keys } = {}) {
      const all = isBuffer(given) ? new Uint8Array(given) : given;
      if (!isBytes(all)) {
        throw new TypeError('bytes: a Uint8Array or an ArrayBuffer');
      }
      const handle = withBytes(all, (at, size) =>
        format === undefined
          ? call('bloomery_from_bytes', at, size)
          : withText(format, (name) =>
              withText(settingsText(settings), (text) =>
                withText(keys, (form) =>
                  call('javascript_from_format', name, text, form, at, size),
                ),
              ),
            ),
      );
      return fromHandle(handle, this);
    }

    add(key) {
      if (arguments.length > 1) refuseMore(arguments, MANY);
      const outcome = insert(this.#live, key);
      if (outcome < 0) throw lastError();
      return outcome === ADDED;
    }

    has(key) {
      if (arguments.length > 1) refuseMore(arguments, MANY);
      const answer = ask(this.#live, key);
      if (answer === UNKNOWN && wasm.bloomery_status() !== OK) throw lastError();
      return answer !== ABSENT;
    }

    presence(key) {
      if (arguments.length > 1) refuseMore(arguments, MANY);
      const answer = ask(this.#live, key);
      if (answer === UNKNOWN && wasm.bloomery_status() !== OK) throw lastError();
      return answer === ABSENT ? 'absent' : answer === MAYBE ? 'maybe' : 'unknown';
    }

    delete(key) {
      if (arguments.length > 1) refuseMore(arguments, 'call delete() for each key');
      return this.tryDelete(key) !== 'absent';
    }

    tryDelete(key) {
      if (arguments.length > 1) refuseMore(arguments, 'call tryDelete() for each key');
      const found = check(erase(this.#live, key));
      return found === ABSENT ? 'absent' : found === SATURATED ? 'saturated' : 'deleted';
    }

    addMany(keys, options) {
      const total = { added: 0 };
      try {
        const width = widthOf(options);
        const batch = batchOf(gathered(keys), width);
        batch.run(inserting(this.#live, total), (key) => {
          total.added += this.add(key) ? 1 : 0;
        });
      } catch (error) {
        // Keys that were to come are not in.
        if (this.#handle !== 0) unlessFailed('bloomery_doubt', this.#handle);
        throw error;
      }
      return total.added;
    }

    hasMany(keys, options) {
      const width = widthOf(options);
      const batch = batchOf(gathered(keys), width);
      const answers = new Uint8Array(batch.count).fill(1);
      return askMany(this.#live, batch, answers, (key) => this.has(key));
    }

    merge(other) {
      if (arguments.length > 1) refuseMore(arguments, 'call merge() for each filter');
      if (!(other instanceof Filter)) throw new TypeError('merge: that is no filter');
      check(call('bloomery_merge', this.#live, other.#live));
      return this;
    }

    clear() {
      check(call('bloomery_clear', this.#live));
    }

    acknowledge() {
      check(call('bloomery_acknowledge', this.#live));
    }

    copy() {
      const copy = fromHandle(call('bloomery_copy', this.#live), Filter);
      Object.setPrototypeOf(copy, Object.getPrototypeOf(this));
      return Object.assign(copy, this);
    }

    toJSON() {
      throw new TypeError('a filter is no JSON: toBytes() has all of it, and info() describes it');
    }

    toBytes({ format } = {}) {
      const filter = this.#live;
      if (format !== undefined) {
        withText(format, (name) => check(call('javascript_to_format', filter, name)));
        return takeResult();
      }
      call('bloomery_to_bytes', filter, 0, 0, stage.added);
      if (call('bloomery_status') !== -1) throw lastError();
      const size = data().getUint32(stage.added, true);
      const at = take(size);
      try {
        check(call('bloomery_to_bytes', filter, at, size, stage.added));
        return bytes().slice(at, at + size);
      } finally {
        call('free', at);
      }
    }

    settingsOf(format) {
      withText(format, (name) => check(call('javascript_settings', this.#live, name)));
      const lines = decoder.decode(takeResult()).split('\n');
      return Object.fromEntries(
        lines.filter(Boolean).map((line) => {
          const equals = line.indexOf('=');
          return [line.slice(0, equals), line.slice(equals + 1)];
        }),
      );
    }

    info() {
      const at = call('bloomery_info', this.#live);
      if (at === 0) throw lastError();
      try {
        const text = textAt(at);
        const seed = /"seed": (\d+)/.exec(text)?.[1];
        const info = JSON.parse(text);
        if (seed !== undefined && !Number.isSafeInteger(info.seed)) info.seed = BigInt(seed);
        return info;
      } finally {
        call('bloomery_free', at);
      }
    }

    get kind() {
      return this.#live && this.#kind;
    }
    get rate() {
      return this.#live && this.#rate;
    }
    get secret() {
      return this.#live && this.#secret;
    }
    get capacity() {
      return Number(BigInt.asUintN(64, call('bloomery_capacity', this.#live)));
    }
    get count() {
      return Number(BigInt.asUintN(64, call('bloomery_inserted', this.#live)));
    }
    get keys() {
      return textAt(call('bloomery_key_form', this.#live)) || null;
    }

    // Node's console.log() prints a filter by this method.
    [Symbol.for('nodejs.util.inspect.custom')]() {
      const { name } = this.constructor;
      if (!(#handle in this) || this.#handle === 0) return `${name} {}`;
      const { kind, capacity, rate, count, keys } = this;
      const form = keys === null ? '' : `, keys: '${keys}'`;
      return `${name} { kind: '${kind}', capacity: ${capacity}, rate: ${rate}, count: ${count}${form} }`;
    }

    free() {
      if (this.#handle === 0) return;
      registry.unregister(this);
      const handle = this.#handle;
      this.#handle = 0;
      unlessFailed('bloomery_close', handle);
    }
  }
  // Symbol.dispose, or the symbol that compilers use if the engine has none.
  const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
  Object.defineProperty(Filter.prototype, dispose, {
    value() {
      this.free();
    },
  });

  const CLASSES = {
    blocked: class BlockedFilter extends Filter {
      static kind = 'blocked';
    },
    classic: class ClassicFilter extends Filter {
      static kind = 'classic';
    },
    counting: class CountingFilter extends Filter {
      static kind = 'counting';
    },
    scalable: class ScalableFilter extends Filter {
      static kind = 'scalable';
    },
    windowed: class WindowedFilter extends Filter {
      static kind = 'windowed';
    },
    static: class StaticFilter extends Filter {
      static kind = 'static';
    },
  };

  return {
    version: textAt(call('bloomery_version')),
    BloomeryError,
    Filter,
    BlockedFilter: CLASSES.blocked,
    ClassicFilter: CLASSES.classic,
    CountingFilter: CLASSES.counting,
    ScalableFilter: CLASSES.scalable,
    WindowedFilter: CLASSES.windowed,
    StaticFilter: CLASSES.static,
  };
}
