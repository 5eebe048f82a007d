// SPDX-License-Identifier: Apache-2.0
// What a key may be: a string, an integer, bytes.
import { isBytes } from './typed_arrays.mjs';

export const MOST_I64 = 2n ** 63n - 1n;
export const MOST_U64 = 2n ** 64n - 1n;

export const isText = (key) => typeof key === 'string';

export const refuseKey = (key) => {
  if (typeof key === 'number') {
    throw new TypeError(
      `${key} is no key: of numbers only safe integers are; write others as texts`,
    );
  }
  if (typeof key === 'bigint') throw new RangeError(`${key} does not fit into 64 bits`);
  const many = 'an array: many are given to addMany() and hasMany(), of a Map its keys()';
  const isObject = Object(key) === key;
  const what = isObject ? Object.prototype.toString.call(key).slice(8, -1) : String(key);
  const said = Array.isArray(key) ? many : what;
  throw new TypeError(`keys are strings, integers and Uint8Arrays, and not ${said}`);
};

// More than was asked for would be lost without a word. What forEach() and its kin give beside an
// element are its place and the whole.
export const refuseMore = (given, many) => {
  if (given.length === 3 && typeof given[2] === 'object') return;
  throw new TypeError(`one at a time: ${many}`);
};

export const kindOfKey = (key) => {
  if (typeof key === 'string') return 'text';
  if (typeof key === 'number') return 'i64';
  if (typeof key === 'bigint') return key > MOST_I64 ? 'u64' : 'i64';
  return isBytes(key) ? 'raw' : refuseKey(key);
};

// Its eight bytes.
export const putInteger = (view, at, key) => {
  if (typeof key === 'bigint') {
    if (key > MOST_U64 || key < -MOST_I64 - 1n) refuseKey(key);
    view.setBigInt64(at, BigInt.asIntN(64, key), true);
  } else {
    if (!Number.isSafeInteger(key)) refuseKey(key);
    view.setInt32(at, key | 0, true); // of 2^32 the rest
    view.setInt32(at + 4, Math.floor(key / 0x1_0000_0000), true);
  }
};
