// SPDX-License-Identifier: Apache-2.0
import { isText, kindOfKey, putInteger } from './keys.mjs';
import { encoder } from './memory.mjs';
import { withOptions } from './options.mjs';
import { FIXED, I64, OFFSETS32, U64 } from './stage.mjs';
import { plain } from './typed_arrays.mjs';

// The handle of a static filter, which is made of all keys at once.
export const buildStatic = (memory, stage, options, keys, count, width) => {
  const { call, take, withBytes } = memory;
  const build = (layout, raw, from, size, offsets, one) => {
    const at = take(32);
    try {
      stage.setKeys(at, layout, raw, count, from, size, offsets, one);
      return withOptions(memory, options, (of) => call('bloomery_build', of, at));
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
