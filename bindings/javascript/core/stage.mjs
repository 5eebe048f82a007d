// SPDX-License-Identifier: Apache-2.0
// Where keys wait for a call, in the memory of the instance.
import { encoder } from './memory.mjs';

export const MOST_KEYS = 4096;
export const TEXT_BYTES = 1 << 18;

const KEYS_AT = 0;
const ADDED_AT = 32;
const OFFSETS_AT = 64;
const ANSWERS_AT = OFFSETS_AT + 4 * (MOST_KEYS + 2);
const TEXT_AT = ANSWERS_AT + MOST_KEYS;
const STAGE_BYTES = TEXT_AT + TEXT_BYTES;
const SHORT = 48; // a shorter text is copied faster by a loop than by a call of the encoder

// How the keys of a structure bloomery_keys lie.
export const OFFSETS32 = 1;
export const FIXED = 3;
export const I64 = 6;
export const U64 = 7;

export function stageIn({ bytes, data, take }) {
  const begin = take(STAGE_BYTES);
  return {
    keys: begin + KEYS_AT,
    added: begin + ADDED_AT,
    offsets: begin + OFFSETS_AT,
    answers: begin + ANSWERS_AT,
    text: begin + TEXT_AT,
    end: begin + STAGE_BYTES,

    // The UTF-8 of a text at `at`, where there is room for three bytes a unit; returns its size.
    putText(text, at) {
      const view = bytes();
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
    },

    // A structure bloomery_keys at `at`.
    setKeys(at, layout, raw, count, from, size, offsets, width) {
      const view = data();
      const fields = [32, layout, raw ? 1 : 0, count, from, size, offsets, width];
      fields.forEach((field, i) => view.setUint32(at + 4 * i, field, true));
    },
  };
}
