// The filters over an instance of bloomery.wasm: the same in every engine.

const MAYBE = 1;
const UNKNOWN = 2;
const ABSENT = 3;
const ADDED = 4;
const OK = 0;

const OFFSETS32 = 1;
const FIXED = 3;
const I64 = 6;
const U64 = 7;

const CODES = {
  [-1]: 'BAD_ARGUMENT',
  [-2]: 'WRONG_KEYS',
  [-3]: 'BAD_FORMAT',
  [-4]: 'INCOMPATIBLE',
  [-5]: 'STORE_FAILED',
  [-6]: 'NO_MEMORY',
  [-7]: 'IN_DOUBT',
  [-8]: 'FAILED',
};

const MOST_I64 = 2n ** 63n - 1n;
const MOST_U64 = 2n ** 64n - 1n;

// Where keys wait for a call, in the memory of the instance.
const MOST_KEYS = 4096;
const TEXT_BYTES = 1 << 18;
const KEYS_AT = 0;
const ADDED_AT = 32;
const OFFSETS_AT = 64;
const ANSWERS_AT = OFFSETS_AT + 4 * (MOST_KEYS + 2);
const TEXT_AT = ANSWERS_AT + MOST_KEYS;
const STAGE_BYTES = TEXT_AT + TEXT_BYTES;
const SHORT = 48; // a shorter text is copied faster by a loop than by a call of the encoder

class BloomeryError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'BloomeryError';
    this.code = code;
  }
}

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

// The classes over a compiled bloomery.wasm.
function define(module, crypto = globalThis.crypto) {
  let memory;
  let bytesNow = new Uint8Array(0);
  let dataNow;
  // Growing the memory makes the views before it empty.
  const refresh = () => {
    bytesNow = new Uint8Array(memory.buffer);
    dataNow = new DataView(memory.buffer);
    return bytesNow;
  };
  const bytes = () => (bytesNow.length === 0 ? refresh() : bytesNow);
  const data = () => {
    if (bytesNow.length === 0) refresh();
    return dataNow;
  };

  const system = systemOf({ bytes, data }, crypto);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (!(name in system)) throw new WebAssembly.LinkError(`bloomery.wasm wants ${from}.${name}`);
    imports[from] ??= {};
    imports[from][name] = system[name];
  }
  const wasm = { ...new WebAssembly.Instance(module, imports).exports };
  memory = wasm.memory;
  wasm._initialize?.();

  const encoder = new TextEncoder();
  const decoder = new TextDecoder();

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

  // Typed arrays as the engine has them: a class of the caller's may tell another length, and a
  // shared buffer may grow meanwhile.
  const typed = (name) =>
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name).get;
  const nameOf = typed(Symbol.toStringTag);
  const bufferOf = typed('buffer');
  const offsetOf = typed('byteOffset');
  const lengthOf = typed('length');
  const TYPES = {
    Uint8Array,
    Int8Array,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    BigInt64Array,
    BigUint64Array,
  };
  const plain = (view) => {
    const Type = TYPES[nameOf.call(view)];
    if (Type === undefined) return view;
    const length = lengthOf.call(view);
    // One that its buffer has become too small for has no length, either, but is refused here.
    if (length === 0) Uint8Array.prototype.keys.call(view);
    return new Type(bufferOf.call(view), offsetOf.call(view), length);
  };
  // Of any realm; nothing that only looks like one.
  const isBytes = (given) => nameOf.call(given) === 'Uint8Array';
  const bufferSize = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get;
  const isBuffer = (given) => {
    try {
      bufferSize.call(given);
      return true;
    } catch {
      return false;
    }
  };

  const isText = (key) => typeof key === 'string';
  const textAt = (at) => {
    at >>>= 0;
    return decoder.decode(bytes().subarray(at, bytes().indexOf(0, at)));
  };
  const lastError = () => {
    const status = call('bloomery_status');
    return new BloomeryError(CODES[status] ?? 'FAILED', textAt(call('bloomery_message')));
  };
  const check = (status) => {
    if (status < 0) throw lastError();
    return status;
  };
  const take = (size) => {
    const at = call('malloc', Math.max(size, 1)) >>> 0;
    if (at === 0) throw new BloomeryError('NO_MEMORY', `there is no memory for ${size} bytes`);
    return at;
  };
  // Bytes of the caller's in our memory, as long as use(at, size) takes.
  const withBytes = (given, use) => {
    const its = plain(given);
    const at = take(its.length);
    try {
      bytes().set(its, at);
      return use(at, its.length);
    } finally {
      call('free', at);
    }
  };
  const withText = (text, use) => {
    if (text === undefined) return use(0);
    if (!isText(text)) throw new TypeError(`a text is asked for, and not ${typeof text}`);
    return withBytes(encoder.encode(`${text}\0`), use);
  };

  const stage = take(STAGE_BYTES);
  const stageKeys = stage + KEYS_AT;
  const stageAdded = stage + ADDED_AT;
  const stageOffsets = stage + OFFSETS_AT;
  const stageAnswers = stage + ANSWERS_AT;
  const stageText = stage + TEXT_AT;
  const stageEnd = stage + STAGE_BYTES;

  const refuseKey = (key) => {
    if (typeof key === 'number') {
      throw new TypeError(
        `${key} is no key: of numbers only safe integers are; write others as texts`,
      );
    }
    if (typeof key === 'bigint') throw new RangeError(`${key} does not fit into 64 bits`);
    throw new TypeError(
      `keys are strings, integers and Uint8Arrays, and not ${key === null ? 'null' : typeof key}`,
    );
  };

  // The UTF-8 of a text at `at`, where there is room for three bytes a unit; returns its size.
  const putText = (text, at) => {
    const view = bytesNow;
    const length = text.length;
    if (length <= SHORT) {
      let i = 0;
      for (; i < length; ++i) {
        const unit = text.charCodeAt(i);
        if (unit > 127) break;
        view[at + i] = unit;
      }
      if (i === length) return length;
    }
    return encoder.encodeInto(text, view.subarray(at, at + 3 * length)).written;
  };

  // One call about one key: NAME for a text, NAME_raw, NAME_i64, NAME_u64 and javascript's own.
  const single = (verb) => {
    const ofText = `bloomery_${verb}`;
    const ofRaw = `bloomery_${verb}_raw`;
    const ofI64 = `bloomery_${verb}_i64`;
    const ofU64 = `bloomery_${verb}_u64`;
    const ofNumber = `javascript_${verb}_number`;
    return (filter, key) => {
      if (typeof key === 'string') {
        if (key.length * 3 > TEXT_BYTES) {
          return withBytes(encoder.encode(key), (at, size) => call(ofText, filter, at, size));
        }
        bytes();
        const size = putText(key, stageText);
        try {
          return wasm[ofText](filter, stageText, size);
        } catch (error) {
          return fail(error);
        }
      }
      if (typeof key === 'number') {
        if (!Number.isSafeInteger(key)) refuseKey(key);
        try {
          return wasm[ofNumber](filter, key);
        } catch (error) {
          return fail(error);
        }
      }
      if (typeof key === 'bigint') {
        if (key > MOST_I64) {
          if (key > MOST_U64) refuseKey(key);
          return call(ofU64, filter, key);
        }
        if (key < -MOST_I64 - 1n) refuseKey(key);
        return call(ofI64, filter, key);
      }
      if (!isBytes(key)) refuseKey(key);
      const raw = plain(key);
      if (raw.length > TEXT_BYTES) {
        return withBytes(raw, (at, size) => call(ofRaw, filter, at, size));
      }
      bytes().set(raw, stageText);
      return call(ofRaw, filter, stageText, raw.length);
    };
  };
  const ask = single('ask');
  const insert = single('insert');
  const erase = single('erase');

  const setKeys = (at, layout, raw, count, from, size, offsets, width) => {
    const view = data();
    const fields = [32, layout, raw ? 1 : 0, count, from, size, offsets, width];
    fields.forEach((field, i) => view.setUint32(at + 4 * i, field, true));
  };

  // What is asked or inserted of many keys: send(count) tells of those that are staged.
  const inserting = (filter, total) => (count) => {
    check(call('bloomery_insert_many', filter, stageKeys, 0, stageAdded));
    total.added += data().getUint32(stageAdded, true);
  };

  const kindOfKey = (key) => {
    if (typeof key === 'string') return 'text';
    if (typeof key === 'number') return 'i64';
    if (typeof key === 'bigint') return key > MOST_I64 ? 'u64' : 'i64';
    return isBytes(key) ? 'raw' : refuseKey(key);
  };
  const putInteger = (view, at, key) => {
    if (typeof key === 'bigint') {
      if (key > MOST_U64 || key < -MOST_I64 - 1n) refuseKey(key);
      view.setBigInt64(at, BigInt.asIntN(64, key), true);
    } else {
      if (!Number.isSafeInteger(key)) refuseKey(key);
      view.setInt32(at, key | 0, true); // of 2^32 the rest
      view.setInt32(at + 4, Math.floor(key / 0x1_0000_0000), true);
    }
  };

  // Stages keys of an iterable, as many of one kind as go together. `alone` takes a key for which
  // the stage is too small.
  const sendEach = (keys, send, alone) => {
    let kind = 'none';
    let count = 0;
    let at = stageText;
    let view = data();
    const flush = () => {
      if (count === 0) return;
      const size = at - stageText;
      if (kind === 'text' || kind === 'raw') {
        view.setInt32(stageOffsets + 4 * count, size, true);
        setKeys(stageKeys, OFFSETS32, kind === 'raw', count, stageText, size, stageOffsets, 0);
      } else {
        setKeys(stageKeys, kind === 'i64' ? I64 : U64, false, count, stageText, size, 0, 0);
      }
      send(count);
      view = data();
      count = 0;
      at = stageText;
    };
    for (const given of keys) {
      const its = isText(given) ? 'text' : kindOfKey(given);
      const key = its === 'raw' ? plain(given) : given;
      const most = its === 'text' ? 3 * key.length : its === 'raw' ? key.length : 8;
      if (its !== kind || count === MOST_KEYS || most > stageEnd - at) {
        flush();
        kind = its;
        if (most > TEXT_BYTES) {
          alone(key);
          view = data();
          continue;
        }
      }
      if (its === 'text') {
        view.setInt32(stageOffsets + 4 * count, at - stageText, true);
        at += putText(key, at);
      } else if (its === 'raw') {
        view.setInt32(stageOffsets + 4 * count, at - stageText, true);
        bytesNow.set(key, at);
        at += key.length;
      } else {
        putInteger(view, at, key);
        at += 8;
      }
      ++count;
    }
    flush();
  };

  // Stages typed arrays: of 64 bits as they lie, narrower ones widened.
  const sendIntegers = (array, send) => {
    const layout = array instanceof BigUint64Array ? U64 : I64;
    const isWide = array.BYTES_PER_ELEMENT === 8;
    for (let first = 0; first < array.length; first += MOST_KEYS) {
      const count = Math.min(MOST_KEYS, array.length - first);
      const part = array.subarray(first, first + count);
      if (isWide) {
        bytes().set(new Uint8Array(part.buffer, part.byteOffset, 8 * count), stageText);
      } else {
        const view = data();
        for (let i = 0; i < count; ++i) {
          view.setInt32(stageText + 8 * i, part[i] | 0, true);
          view.setInt32(stageText + 8 * i + 4, part[i] < 0 ? -1 : 0, true);
        }
      }
      setKeys(stageKeys, layout, false, count, stageText, 8 * count, 0, 0);
      send(count);
    }
  };
  // Keys of `width` bytes each.
  const sendFixed = (array, width, send) => {
    const most = Math.min(MOST_KEYS, Math.floor(TEXT_BYTES / width));
    for (let at = 0; at < array.length; at += most * width) {
      const part = array.subarray(at, at + most * width);
      bytes().set(part, stageText);
      setKeys(stageKeys, FIXED, true, part.length / width, stageText, part.length, 0, width);
      send(part.length / width);
    }
  };

  const INTEGERS = [Int8Array, Int16Array, Uint16Array, Int32Array, Uint32Array];
  const WIDE = [BigInt64Array, BigUint64Array];
  // Keys that are read once, and whose reading runs no code of the caller's.
  const gathered = (keys) => {
    if (isText(keys)) return keys;
    if (ArrayBuffer.isView(keys)) return plain(keys);
    if (typeof keys?.[Symbol.iterator] !== 'function') {
      throw new TypeError('no keys: an iterable, or a typed array of integers');
    }
    return [...keys];
  };
  // { count, run(send, alone) } of what was gathered, or a TypeError.
  const batchOf = (keys, width) => {
    if (width !== undefined) {
      if (!isBytes(keys)) throw new TypeError('width: the keys are no Uint8Array');
      if (!Number.isSafeInteger(width) || width < 1 || width > TEXT_BYTES) {
        throw new RangeError(`width: ${width}; from 1 to ${TEXT_BYTES} are allowed`);
      }
      if (keys.length % width !== 0) {
        throw new RangeError(`${keys.length} bytes are not keys of ${width} bytes each`);
      }
      return { count: keys.length / width, run: (send) => sendFixed(keys, width, send) };
    }
    if ([...INTEGERS, ...WIDE].some((type) => keys instanceof type)) {
      return { count: keys.length, run: (send) => sendIntegers(keys, send) };
    }
    if (isText(keys) || isBytes(keys)) {
      throw new TypeError('one key: many are an array; a Uint8Array of many takes { width }');
    }
    if (ArrayBuffer.isView(keys)) throw new TypeError('of typed arrays only those of integers');
    return { count: keys.length, run: (send, alone) => sendEach(keys, send, alone) };
  };

  // Of a structure bloomery_options: where each is.
  const OPTIONS_BYTES = 80;
  const TEXTS = { kind: 4, keys: 36, format: 68, settings: 72 };
  const WHOLE = { capacity: 8, seed: 24, windowMs: 56 };
  const REALS = { rate: 16, expansion: 40, tightening: 48 };
  const GENERATIONS_AT = 64;
  const SECRET_AT = 32;
  const NAMES = [
    ...Object.keys(TEXTS),
    ...Object.keys(WHOLE),
    ...Object.keys(REALS),
    'generations',
    'secret',
  ];

  const settingsText = (settings) =>
    settings === undefined || typeof settings === 'string'
      ? settings
      : Object.entries(settings)
          .map(([name, value]) => `${name}=${value}`)
          .join('&');

  const whole = (name, value, most) => {
    const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
    if (!isWhole || value < 0 || BigInt(value) > most) {
      throw new RangeError(`${name}: ${value}; a whole number from 0 to ${most} is allowed`);
    }
    return BigInt(value);
  };

  const withOptions = (options, use) => {
    if (options === null || typeof options !== 'object') {
      throw new TypeError('options: an object, as { capacity: 1_000_000, rate: 0.01 }');
    }
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    const taken = [];
    const at = take(OPTIONS_BYTES);
    try {
      bytes().fill(0, at, at + OPTIONS_BYTES);
      data().setUint32(at, OPTIONS_BYTES, true);
      for (const [name, value] of given) {
        if (Object.hasOwn(TEXTS, name)) {
          const text = encoder.encode(`${name === 'settings' ? settingsText(value) : value}\0`);
          taken.push(take(text.length));
          bytes().set(text, taken.at(-1));
          data().setUint32(at + TEXTS[name], taken.at(-1), true);
        } else if (Object.hasOwn(WHOLE, name)) {
          data().setBigUint64(at + WHOLE[name], whole(name, value, MOST_U64), true);
        } else if (Object.hasOwn(REALS, name)) {
          // 0 stands for "not given" there.
          if (typeof value !== 'number' || !(value > 0)) {
            throw new RangeError(`${name}: ${value}; a number above 0 is allowed`);
          }
          data().setFloat64(at + REALS[name], value, true);
        } else if (name === 'generations') {
          data().setUint32(at + GENERATIONS_AT, Number(whole(name, value, 2n ** 32n - 1n)), true);
        } else if (name === 'secret') {
          data().setUint32(at + SECRET_AT, value ? 1 : 0, true);
        } else {
          throw new TypeError(`options: there is no ${name}; there are ${NAMES.join(', ')}`);
        }
      }
      return use(at);
    } finally {
      for (const text of taken) call('free', text);
      call('free', at);
    }
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

  const HANDLE = Symbol('handle');
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

  class Filter {
    #handle = 0;
    // What never changes.
    #kind;
    #rate;
    #secret;

    constructor(options) {
      const fixed = new.target.kind;
      if (options?.[HANDLE] !== undefined) {
        this.#handle = options[HANDLE];
      } else {
        if (fixed !== undefined && options?.kind !== undefined && options.kind !== fixed) {
          throw new TypeError(`options: kind ${options.kind} of a ${new.target.name}`);
        }
        const full = fixed === undefined ? options : { ...options, kind: fixed };
        this.#handle = withOptions(full, (at) => call('bloomery_make', at));
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
      const { width, ...rest } = options;
      const kind = this.kind ?? rest.kind;
      const batch = batchOf(keys, width);
      if (kind !== 'static' && kind !== 'fuse') {
        const Class = this;
        const filter = new Class({ capacity: Math.max(batch.count, 1), ...rest });
        filter.addMany(keys, { width });
        return filter;
      }
      return fromHandle(buildStatic({ ...rest, kind }, keys, batch.count, width), this);
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
      const outcome = insert(this.#live, key);
      if (outcome < 0) throw lastError();
      return outcome === ADDED;
    }

    has(key) {
      const answer = ask(this.#live, key);
      if (answer === UNKNOWN && wasm.bloomery_status() !== OK) throw lastError();
      return answer !== ABSENT;
    }

    presence(key) {
      const answer = ask(this.#live, key);
      if (answer === UNKNOWN && wasm.bloomery_status() !== OK) throw lastError();
      return answer === ABSENT ? 'absent' : answer === MAYBE ? 'maybe' : 'unknown';
    }

    delete(key) {
      return check(erase(this.#live, key)) !== ABSENT;
    }

    addMany(keys, { width } = {}) {
      const total = { added: 0 };
      try {
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

    hasMany(keys, { width } = {}) {
      const batch = batchOf(gathered(keys), width);
      const answers = new Uint8Array(batch.count).fill(1);
      return askMany(this.#live, batch, answers, (key) => this.has(key));
    }

    merge(other) {
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
      return fromHandle(call('bloomery_copy', this.#live), Filter);
    }

    toBytes({ format } = {}) {
      const filter = this.#live;
      if (format !== undefined) {
        withText(format, (name) => check(call('javascript_to_format', filter, name)));
        return takeResult();
      }
      call('bloomery_to_bytes', filter, 0, 0, stageAdded);
      if (call('bloomery_status') !== -1) throw lastError();
      const size = data().getUint32(stageAdded, true);
      const at = take(size);
      try {
        check(call('bloomery_to_bytes', filter, at, size, stageAdded));
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

    free() {
      if (this.#handle === 0) return;
      registry.unregister(this);
      const handle = this.#handle;
      this.#handle = 0;
      unlessFailed('bloomery_close', handle);
    }
  }
  if (Symbol.dispose !== undefined) {
    Object.defineProperty(Filter.prototype, Symbol.dispose, { value: Filter.prototype.free });
  }

  const takeResult = () => {
    const at = call('javascript_result') >>> 0;
    const result = bytes().slice(at, at + (call('javascript_result_size') >>> 0));
    call('javascript_free_result');
    return result;
  };

  const askMany = (filter, batch, answers, alone) => {
    let done = 0;
    const send = (count) => {
      check(call('bloomery_ask_many', filter, stageKeys, stageAnswers));
      const view = bytes();
      for (let i = 0; i < count; ++i) answers[done + i] = view[stageAnswers + i] === ABSENT ? 0 : 1;
      done += count;
    };
    batch.run(send, (key) => {
      answers[done++] = alone(key) ? 1 : 0;
    });
    return answers;
  };

  // All keys at once, as a static filter is made of them.
  const buildStatic = (options, keys, count, width) => {
    const build = (layout, raw, from, size, offsets, one) => {
      const at = take(32);
      try {
        setKeys(at, layout, raw, count, from, size, offsets, one);
        return withOptions(options, (of) => call('bloomery_build', of, at));
      } finally {
        call('free', at);
      }
    };
    if (width !== undefined) {
      return withBytes(keys, (at, size) => build(FIXED, true, at, size, 0, width));
    }
    const list = Array.from(keys);
    const ofArray = keys instanceof BigUint64Array ? 'u64' : 'i64';
    const kinds = new Set(ArrayBuffer.isView(keys) ? [ofArray] : list.map(kindOfKey));
    if (kinds.size > 1) {
      throw new TypeError(`keys of several kinds: ${[...kinds].join(', ')}`);
    }
    const [kind] = kinds;
    if (kind === 'i64' || kind === 'u64') {
      const integers = new Uint8Array(8 * list.length);
      const view = new DataView(integers.buffer);
      list.forEach((key, i) => putInteger(view, 8 * i, key));
      return withBytes(integers, (at, size) =>
        build(kind === 'i64' ? I64 : U64, false, at, size, 0, 0),
      );
    }
    const encoded = list.map((key) => (isText(key) ? encoder.encode(key) : plain(key)));
    const offsets = new Int32Array(list.length + 1);
    let size = 0;
    encoded.forEach((key, i) => {
      size += key.length;
      if (size > 0x7fff_ffff) throw new RangeError('keys of more than 2 GiB together');
      offsets[i + 1] = size;
    });
    const together = new Uint8Array(size);
    encoded.forEach((key, i) => together.set(key, offsets[i]));
    return withBytes(new Uint8Array(offsets.buffer), (offsetsAt) =>
      withBytes(together, (at) => build(OFFSETS32, kind === 'raw', at, size, offsetsAt, 0)),
    );
  };

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

export { define };
