// SPDX-License-Identifier: Apache-2.0
/** The cache guard for node: docs/guard_protocol.md, docs/javascript.md. Lives and waits are milliseconds. */

/** Texts are their UTF-8, numbers their decimal digits. */
export type Key = string | Uint8Array | number | bigint;

/** node's Buffer, also for a program that has no types of node: then as the array that it is. */
type Bytes = typeof globalThis extends { Buffer: { alloc(size: number): infer Made } } ? Made : Uint8Array;

/** A client of node-redis 4 or 5, or of ioredis, of one server. */
export interface Client {
  callBuffer?: unknown;
  sendCommand?: unknown;
}

/** Values as bytes. What decode throws at, or gives null for, is taken for a miss. A value that encode makes JSON null is refused. */
export interface Codec<Value> {
  encode(value: Value): Uint8Array;
  decode(bytes: Bytes): Value;
}

export interface GuardOptions<Value> {
  /** The key of a filter on that server. */
  filter?: string | null;
  /** BLOOM (the default), BF, or these with a module's prefix. */
  family?: string;
  /** JSON is the default. */
  codec?: Codec<Value>;
  /** 600,000 */
  valueLife?: number;
  /** 60,000 */
  negativeLife?: number;
  /** Each life of an entry is drawn from life * (1 ± this); 0.1 */
  jitter?: number;
  /** One reader loads anew in this last share of a value's life; 0: never. */
  refreshAhead?: number;
  /** Longer than the slowest query; 5,000 */
  leaseLife?: number;
  /** Longer than a transaction that inserts; 30,000 */
  markLife?: number;
  /** How long a reader waits for another's query; 10,000 */
  waitLimit?: number;
  /** Queries of this guard; 32 */
  queriesAtOnce?: number;
  /** How long a query waits for its turn; 200 */
  queryWait?: number;
  /** How long a command may take, before the loader is asked without the server; 1,000 */
  serverTimeout?: number;
  /** The loader reads a replica, so its "no such row" is not written. */
  readsReplica?: boolean;
  /** Whether a filter in this process may have the key. */
  near?: ((key: Bytes) => boolean) | null;
  /** That filter's set never changes, so it denies by itself. */
  nearIsFinal?: boolean;
  /** "GUARD" where the server has the commands of bloomery's module (a prefix before it); "", the default: the script. */
  commands?: string;
  /** A server that failed so often in a row is left alone for failurePause. */
  failuresInARow?: number;
  failurePause?: number;
}

export interface About {
  /** Ends the call while it waits, and is the loader's as well. */
  signal?: AbortSignal;
  /** Source and position: "no such row" is of that moment, or later. */
  fence?: [source: string, position: string] | null;
  waitLimit?: number;
}

export interface LoadContext {
  signal: AbortSignal | undefined;
}

type Row<Value> = Value | null | undefined;

export class Guard<Value = any> {
  /** name: the guard's, without braces; guards of one name share rows. */
  constructor(client: Client, name: string, options?: GuardOptions<Value>);

  /** The row of the key, from the cache or by load, which gives null or undefined where there is no such row. */
  get<K extends Key>(key: K, load: (key: K, context: LoadContext) => Row<Value> | Promise<Row<Value>>, about?: About): Promise<Value | null>;

  /** The rows of the keys. load gets those that are missing, and gives a Map, or an array in their order. */
  getMany<K extends Key>(keys: Iterable<K>,
    load: (keys: K[], context: LoadContext) => Map<K, Row<Value>> | Row<Value>[] | Promise<Map<K, Row<Value>> | Row<Value>[]>,
    about?: About): Promise<Map<K, Value | null>>;

  /**
   * Announces rows before they are inserted. Throws NotAnnounced: then do not insert. With `wait`, so many replicas have it within
   * waitLimit ms (1,000; at least 1), which is waited for on a duplicate() of the client, so that it holds up nobody else.
   */
  announce(keys: Key | Key[], options?: { wait?: number; waitLimit?: number }): Promise<Announcement>;

  /** After the commit of changes and deletions. Throws NotErased: then call again. */
  erase(...keys: Key[]): Promise<void>;

  /** Reads the filter's identity, also anew after a rebuild: whoever calls vouches that the filter is whole. */
  open(): Promise<void>;

  /** The function behind the guard. key(...) of its arguments is the row's key. */
  cached<Words extends unknown[]>(load: (...words: Words) => Row<Value> | Promise<Row<Value>>, options: { key: (...words: Words) => Key }): {
    (...words: Words): Promise<Value | null>;
    erase(...words: Words): Promise<void>;
    announce(...words: Words): Promise<Announcement>;
    announceWaiting(options: { wait?: number; waitLimit?: number }, ...words: Words): Promise<Announcement>;
  };

  /** Ends the duplicates of the client that announcements waited on. They end with the client, too. */
  close(): void;

  /** What was counted since the guard was made. */
  counters(): Record<string, number>;
}

export interface Announcement {
  /** Just before a commit that comes late: the marks hold anew. Whether they had held all the while. Throws NotAnnounced. */
  renew(): Promise<boolean>;
  /** After the commit or roll-back. Throws NotErased: then call again. */
  release(): Promise<void>;
}

/** What a guard throws by itself. Errors of the loader come through as they are. */
export class GuardError extends Error {}
/** No turn came among queriesAtOnce within queryWait. */
export class Overloaded extends GuardError {}
/** Another request loads the row, for longer than waitLimit. */
export class WaitedTooLong extends GuardError {}
/** The keys are not announced, or not any more: do not commit the rows. */
export class NotAnnounced extends GuardError {}
/** Old values may still be in the cache: erase again. */
export class NotErased extends GuardError {}
/** The follower gives no fence: load from the database. */
export class NoFence extends GuardError {}

/**
 * Asks `bloomery follow --metrics` at http://HOST:PORT how far the database is now: the fence that `get` takes. Call it after the
 * request came. Rejects with NoFence.
 */
export function followerFence(url: string, options?: { timeout?: number }): Promise<[source: string, position: string]>;

/** The codec of every language: JSON in UTF-8. */
export const json: Codec<any>;
/** Values are bytes, as they are. */
export const bytes: Codec<Uint8Array>;
