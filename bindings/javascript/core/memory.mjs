// SPDX-License-Identifier: Apache-2.0
// What is given to an instance and taken from it: bytes, texts, errors.
import { BloomeryError, errorOf } from './errors.mjs';
import { isText } from './keys.mjs';
import { plain } from './typed_arrays.mjs';

export let encoder = globalThis.TextEncoder && new TextEncoder();
export let decoder = globalThis.TextDecoder && new TextDecoder();
// For realms that lack both, as jsdom's: whose `given` has them.
export const needText = (given) => {
  encoder ??= new given.TextEncoder();
  decoder ??= new given.TextDecoder();
};

export function memoryOf(instance) {
  const { bytes, call } = instance;
  const textAt = (at) => {
    at >>>= 0;
    return decoder.decode(bytes().subarray(at, bytes().indexOf(0, at)));
  };
  const lastError = () => {
    const status = call('bloomery_status');
    return errorOf(status, textAt(call('bloomery_message')));
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
  // What a call of javascript_calls.h left.
  const takeResult = () => {
    const at = call('javascript_result') >>> 0;
    const result = bytes().slice(at, at + (call('javascript_result_size') >>> 0));
    call('javascript_free_result');
    return result;
  };
  return { ...instance, textAt, lastError, check, take, withBytes, withText, takeResult };
}
