// SPDX-License-Identifier: Apache-2.0
/** "0.1.0" */
export const version: string;

/** A text is its UTF-8, an integer eight bytes, and a Uint8Array itself. */
export type Key = string | number | bigint | Uint8Array;

/** Many keys. Arrays of integers are copied as they lie; the narrower are integers, too. */
export type Keys =
  | (Iterable<Key> & object)
  | BigInt64Array
  | BigUint64Array
  | Int8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

/** What is no batch, though it can be iterated: one key, bytes without a width, other numbers. */
type NoKeys = string | Uint8Array | Uint8ClampedArray | Float32Array | Float64Array;
export type Batch<K extends Keys> = K extends NoKeys ? never : K;

export type Kind = 'blocked' | 'classic' | 'counting' | 'scalable' | 'windowed' | 'static' | 'fuse';

/** How it differs from the others is said in `message`; which of them it is, in `code`. */
export class BloomeryError extends Error {
  readonly code:
    | 'BAD_ARGUMENT'
    | 'WRONG_KEYS'
    | 'BAD_FORMAT'
    | 'INCOMPATIBLE'
    | 'STORE_FAILED'
    | 'NO_MEMORY'
    | 'IN_DOUBT'
    | 'FREED'
    | 'FAILED';
}

/** What filters of every class take. */
export interface CommonOptions {
  /** How many keys it is for. */
  capacity: number | bigint;
  /** Of false positives, when it has them all; 0.01. */
  rate?: number;
  /** How keys are written: 'text', 'i64', 'u64', ...; else as those that are added first. */
  keys?: string;
  /** Filters merge only when their seeds agree; 0. */
  seed?: number | bigint;
  /** Hashed under a random key, where strangers choose the keys. */
  secret?: boolean;
  /** Of a scalable filter; 2. */
  expansion?: number;
  /** Of a scalable filter; 0.85. */
  tightening?: number;
  /** Of a windowed filter; without it the window is the last `capacity` keys. */
  windowMs?: number;
  /** Of a windowed filter; 4. */
  generations?: number;
}
/** A filter of a kind, or of another system's format, which has its own kind. */
export type Options = CommonOptions &
  (
    | { kind?: Kind; format?: undefined; settings?: undefined }
    | {
        kind?: undefined;
        /** Another system's filter: 'guava', 'redisson', ... */
        format: string;
        /** Of that format. */
        settings?: Settings;
      }
  );
/** Of a class, which says the kind. */
export type OptionsOf<K extends Kind> = CommonOptions & { kind?: K };
type OptionsFor<F> = F extends { readonly kind: infer K extends Kind }
  ? Partial<OptionsOf<K>>
  : Partial<CommonOptions> & { kind?: Kind };

export type Settings = string | Record<string, string | number>;
export interface Format {
  format?: string;
  settings?: Settings;
  /** How that system's keys are written, where it is not as usual there: 'text', 'i64', ... */
  keys?: string;
}
export interface Width {
  /** The keys are a Uint8Array, and so many bytes each. */
  width?: number;
}

/** The bytes of bloomery.wasm, where they are fetched from or the response, or a compiled module. */
export type Source = Uint8Array | ArrayBuffer | URL | string | object;
/**
 * Of 'bloomery/init': compiles the module, once. Then the classes are there, also as what this
 * resolves to. Without a source it is the package's own file, where one can be read or fetched.
 */
export function init(source?: Source): Promise<Bloomery>;
/** The same at once, of bytes or of a compiled module. */
export function initSync(source?: Source): Bloomery;
export type Bloomery = Omit<typeof import('bloomery'), 'default'>;

/** A set that has no false "no": what it denies was never added. */
export class Filter {
  constructor(options: Options);

  /** A filter of these keys, as large as they want. The only way to a static one. */
  static of<F extends typeof Filter>(
    this: F,
    keys: Keys,
    options?: OptionsFor<F> & Width,
  ): F['prototype'];
  /** Of the bytes of a file. Throws BAD_FORMAT for what is damaged. */
  static fromBytes<F extends typeof Filter>(
    this: F,
    bytes: Uint8Array | ArrayBuffer,
    options?: Format,
  ): F['prototype'];
  /** Of a file; in a browser, of what is fetched from there. */
  static open<F extends typeof Filter>(
    this: F,
    location: string | URL,
    options?: Format,
  ): Promise<F['prototype']>;

  /** Whether it seemed to be new. */
  add(key: Key): boolean;
  /** `false`: it was never added. `true`: maybe it was. */
  has(key: Key): boolean;
  /** 'unknown' after a batch that broke. */
  presence(key: Key): 'absent' | 'maybe' | 'unknown';
  /**
   * Of a counting filter, and only of what was added. Whether it was there. A key that was added
   * 15 times more than it was deleted stays for ever.
   */
  delete(key: Key): boolean;

  /**
   * How many seemed to be new. Where it throws, keys may be missing: all that is not there is
   * "maybe", and the filter is not saved, until acknowledge() or clear().
   */
  addMany(keys: Uint8Array, options: Required<Width>): number;
  addMany<K extends Keys>(keys: Batch<K>): number;
  /** 1 for maybe, 0 for never. */
  hasMany(keys: Uint8Array, options: Required<Width>): Uint8Array;
  hasMany<K extends Keys>(keys: Batch<K>): Uint8Array;

  /** Then it has the keys of both. */
  merge(other: Filter): this;
  /** Of the same class, and with the same properties. */
  copy(): this;
  clear(): void;
  /** Says that somebody knows which keys are missing. */
  acknowledge(): void;

  /** The bytes of a file. */
  toBytes(options?: { format?: string }): Uint8Array;
  /** What the bytes of the format do not say. */
  settingsOf(format: string): Record<string, string>;
  /** Node only. In one step, and on the disk when it is done. */
  save(file: string | URL, options?: { format?: string }): Promise<void>;

  /** As `bloomery info --json` has it. */
  info(): Record<string, string | number | bigint | boolean | null>;
  readonly kind: string;
  readonly capacity: number;
  readonly rate: number;
  /** Whether its keys are hashed under a secret, which its bytes hold. */
  readonly secret: boolean;
  /** Keys that seemed to be new: at most the distinct ones. After a merge: as the bits say. */
  readonly count: number;
  /** How its keys are written; null while nobody has said. */
  readonly keys: string | null;

  /** Gives its memory back now, and not when nobody holds it any more. */
  free(): void;
  /** As free(): `using filter = new BlockedFilter(...)`. */
  [Symbol.dispose](): void;
  /** Throws: toBytes() has all of it. structuredClone() and postMessage() throw, too. */
  toJSON(): never;
}

/** The fastest, and the one to begin with: a key touches one line of memory. */
export class BlockedFilter extends Filter {
  static readonly kind: 'blocked';
  constructor(options: OptionsOf<'blocked'>);
  /** Only a CountingFilter can. */
  delete(key: never): never;
}
/** The smallest. */
export class ClassicFilter extends Filter {
  static readonly kind: 'classic';
  constructor(options: OptionsOf<'classic'>);
  /** Only a CountingFilter can. */
  delete(key: never): never;
}
/** Keys can be deleted. */
export class CountingFilter extends Filter {
  static readonly kind: 'counting';
  constructor(options: OptionsOf<'counting'>);
  /** As delete(), and says of a key that stays for ever: 'saturated'. */
  tryDelete(key: Key): 'absent' | 'deleted' | 'saturated';
}
/** Grows with its keys. */
export class ScalableFilter extends Filter {
  static readonly kind: 'scalable';
  constructor(options: OptionsOf<'scalable'>);
  /** Only a CountingFilter can. */
  delete(key: never): never;
}
/** Forgets keys after a while. */
export class WindowedFilter extends Filter {
  static readonly kind: 'windowed';
  constructor(options: OptionsOf<'windowed'>);
  /** Only a CountingFilter can. */
  delete(key: never): never;
}
/** Built once, of all keys, by StaticFilter.of(). */
export class StaticFilter extends Filter {
  static readonly kind: 'static';
  /** Nobody makes an empty one: StaticFilter.of(). */
  constructor(options: never);
  /** It has all its keys: StaticFilter.of(). */
  add(key: never): never;
  addMany(keys: never): never;
  delete(key: never): never;
}

declare const bloomery: Bloomery;
export default bloomery;

declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}
