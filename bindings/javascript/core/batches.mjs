// SPDX-License-Identifier: Apache-2.0
// Many keys at once: gathered from the caller, staged, and sent.
import { isText, kindOfKey, putInteger, refuseKey } from './keys.mjs';
import { FIXED, I64, MOST_KEYS, OFFSETS32, TEXT_BYTES, U64 } from './stage.mjs';
import { isBytes, plain } from './typed_arrays.mjs';

const INTEGERS = [Int8Array, Int16Array, Uint16Array, Int32Array, Uint32Array];
const WIDE = [BigInt64Array, BigUint64Array];

// Keys that are read once, and whose reading runs no code of the caller's.
export const gathered = (keys) => {
  if (isText(keys)) return keys;
  if (keys instanceof String) refuseKey(keys);
  if (ArrayBuffer.isView(keys)) return plain(keys);
  if (typeof keys?.[Symbol.asyncIterator] === 'function' || typeof keys?.then === 'function') {
    throw new TypeError(
      'no keys yet: await a promise, and read a stream by lines: ' +
        'for await (const line of readline.createInterface({ input })) filter.add(line)',
    );
  }
  if (typeof keys?.[Symbol.iterator] !== 'function') {
    throw new TypeError('no keys: an iterable, or a typed array of integers');
  }
  return [...keys];
};

export function batchesOf({ bytes, data }, stage) {
  const { setKeys, putText } = stage;
  const stageKeys = stage.keys;
  const stageOffsets = stage.offsets;
  const stageText = stage.text;
  const stageEnd = stage.end;

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
        bytes().set(key, at);
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

  // { count, run(send, alone) } of what was gathered, or a TypeError. send(count) is told how many
  // are staged.
  return (keys, width) => {
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
}
