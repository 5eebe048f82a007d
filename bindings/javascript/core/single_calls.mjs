// SPDX-License-Identifier: Apache-2.0
// Calls about one key.
import { MOST_I64, MOST_U64, refuseKey } from './keys.mjs';
import { encoder } from './memory.mjs';
import { TEXT_BYTES } from './stage.mjs';
import { isBytes, plain } from './typed_arrays.mjs';

export function singleCallsOf({ wasm, bytes, call, fail, withBytes }, stage) {
  const stageText = stage.text;
  const { putText } = stage;
  // NAME for a text, NAME_raw, NAME_i64, NAME_u64 and javascript's own.
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
  return { ask: single('ask'), insert: single('insert'), erase: single('try_erase') };
}
