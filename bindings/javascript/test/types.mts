// SPDX-License-Identifier: Apache-2.0
// What TypeScript lets people write, and what not; tools/check_npm compiles this against the packed package and runs it.
import * as lazy from 'bloomery/init';
import bloomery, { BlockedFilter, BloomeryError, CountingFilter, Filter, StaticFilter, version } from 'bloomery';
import type { Format, Key, Keys, Kind, Options, Settings } from 'bloomery';
import { Guard } from 'bloomery/guard';
import type { Announcement, Client, LoadContext } from 'bloomery/guard';

const same = (now: unknown, wanted: unknown): void => {
  if (now !== wanted) throw new Error(`${String(now)} and not ${String(wanted)}`);
};

const kind: Kind = 'counting';
const options: Options = { capacity: 1000n, rate: 0.01, kind, seed: 7 };
const users: Filter = new Filter(options);
const key: Key = new Uint8Array([1, 2]);
const isNew: boolean = users.add(key);
const asked: boolean = users.has(key);
same(isNew && asked, true);
const presence: 'absent' | 'maybe' | 'unknown' = users.presence('bob');
same(presence, 'absent');
same(users.delete(key), true);

const many: Keys = ['a', 'b'];
const added: number = users.addMany(many);
const answers: Uint8Array = users.hasMany(new Set(['a', 'c']));
same(added + (answers[0] ?? 0) + (answers[1] ?? 0), 3);
same(new BlockedFilter({ capacity: 10, kind: 'blocked' }).addMany(new Set([1, 2])), 2);
same(users.count, 2);
same(users.keys, 'text');

const fixed: StaticFilter = StaticFilter.of(new BigInt64Array([1n, 2n]), { rate: 0.001 });
same(fixed.has(2), true);
const numbers: CountingFilter = new CountingFilter({ capacity: 10, keys: 'i64' });
const deleted: 'absent' | 'deleted' | 'saturated' = numbers.tryDelete(1);
same(deleted, 'absent');
same(numbers.merge(numbers.copy()).has(3n), false);
same(BlockedFilter.of(new Uint8Array(8), { width: 4 }).count, 1);

const settings: Settings = { key: 'ids' };
const format: Format = { format: 'guava' };
const guava: Filter = Filter.fromBytes(new Filter({ capacity: 10, format: 'guava' }).toBytes(format), format);
same(guava.capacity > 0 && settings !== undefined, true);
same(users.toBytes().length > 0, true);
const info: string | number | bigint | boolean | null | undefined = users.info().kind;
same(info, users.kind);
const opened: Promise<BlockedFilter> = BlockedFilter.open(new URL('file:///none'));
await opened.then(
  () => same('opened', 'refused'),
  () => undefined,
);
same(bloomery.version, version);
same((await lazy.init()).Filter, Filter);
same(lazy.initSync().Filter, lazy.Filter);
users[Symbol.dispose]?.call(new CountingFilter({ capacity: 1 }));

try {
  // @ts-expect-error: a filter is for some number of keys
  new Filter({});
  same('made', 'refused');
} catch (error) {
  if (!(error instanceof BloomeryError)) throw error;
  const code: string = error.code;
  same(code, 'BAD_ARGUMENT');
}
const never = (): void => {
  // @ts-expect-error: no key
  users.add(null);
  // @ts-expect-error: no key
  users.has({ id: 1 });
  // @ts-expect-error: one key
  users.addMany('alice');
  // @ts-expect-error: bytes of how many keys?
  users.hasMany(new Uint8Array(8));
  // @ts-expect-error: no integers
  users.addMany(new Float64Array(8));
  // @ts-expect-error: an array needs no width
  users.addMany(['a'], { width: 1 });
  // @ts-expect-error: it cannot
  new BlockedFilter({ capacity: 1 }).delete('a');
  // @ts-expect-error: it has all its keys
  fixed.add('a');
  // @ts-expect-error: a class gives its own filters, and no others
  StaticFilter.of(['a']).add('b');
  // @ts-expect-error: a class gives its own filters, and no others
  StaticFilter.fromBytes(new Uint8Array(8)).delete('b');
  // @ts-expect-error: nobody makes an empty one
  new StaticFilter({ capacity: 1 });
  // @ts-expect-error: the kind is said twice
  new BlockedFilter({ capacity: 1, kind: 'classic' });
  // @ts-expect-error: the kind is said twice
  BlockedFilter.of(['a'], { kind: 'classic' });
  // @ts-expect-error: a format has its kind
  new Filter({ capacity: 1, kind: 'classic', format: 'guava' });
  // @ts-expect-error: a class is no format
  new BlockedFilter({ capacity: 1, format: 'guava' });
  // @ts-expect-error: options have names
  new BlockedFilter(1000, 0.01);
  // @ts-expect-error: there is no such kind
  new Filter({ capacity: 1, kind: 'cuckoo' });
  // @ts-expect-error: nobody writes it
  users.count = 3;
};
same(typeof never, 'function');

// What a program with a server writes; it is compiled, and not called.
interface Person {
  name: string;
}
const guarded = async (client: Client): Promise<Person | null> => {
  const guard = new Guard<Person>(client, 'person', { filter: 'people', refreshAhead: 0.1, commands: 'GUARD' });
  const getByKey = guard.cached(async (id: number): Promise<Person | null> => (id > 0 ? { name: 'Bob' } : null),
    { key: (id) => `p${id}` });
  const mark: Announcement = await getByKey.announceWaiting({ wait: 1, waitLimit: 500 }, 7);
  const held: boolean = await mark.renew();
  await getByKey.erase(7);
  const rows = await guard.getMany(['a', 'b'], (missing: Key[], context: LoadContext) => missing.map(() => null));
  // @ts-expect-error: a person's id is a number
  await getByKey('bob');
  // @ts-expect-error: a row is a person
  await guard.get('a', () => 7);
  // @ts-expect-error: there is no such option
  new Guard<Person>(client, 'person', { filters: 'people' });
  return held && rows.size > 0 ? getByKey(7) : null;
};
same(typeof guarded, 'function');
users.free();
