// SPDX-License-Identifier: Apache-2.0
// Options of a new filter, as a structure bloomery_options has them.
import { MOST_U64 } from './keys.mjs';
import { encoder } from './memory.mjs';

const OPTIONS_BYTES = 80;
// Where each is.
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

export const settingsText = (settings) =>
  settings === undefined || typeof settings === 'string'
    ? settings
    : Object.entries(settings)
        .map(([name, value]) => `${name}=${value}`)
        .join('&');

const refuse = (name, value, allowed) => {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw new RangeError(`${name}: ${shown}; a ${allowed} is allowed`);
};

const whole = (name, value, most, least = 0) => {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (!isWhole || value < least || BigInt(value) > most) {
    refuse(name, value, `whole number from ${least} to ${most}`);
  }
  return BigInt(value);
};

export const objectOf = (options) => {
  if (options === null || typeof options !== 'object') {
    throw new TypeError(
      `options: an object is expected, { capacity: 1000, rate: 0.01 }, and not ${String(options)}`,
    );
  }
  return options;
};

// The width of the keys of a batch. Keys that stand where options do would be lost without a word.
export const widthOf = (options) => {
  if (typeof options === 'string' || typeof options?.[Symbol.iterator] === 'function') {
    throw new TypeError('keys: one array, and options behind it, { width }');
  }
  return options?.width;
};

// use(at) of what stands in memory meanwhile.
export const withOptions = ({ bytes, data, call, take }, options, use) => {
  const given = Object.entries(objectOf(options)).filter(([, value]) => value !== undefined);
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
        const least = name === 'capacity' ? 1 : 0;
        data().setBigUint64(at + WHOLE[name], whole(name, value, MOST_U64, least), true);
      } else if (Object.hasOwn(REALS, name)) {
        // 0 stands for "not given" there.
        if (typeof value !== 'number' || !(value > 0)) refuse(name, value, 'number above 0');
        if (name === 'rate' && value >= 1) refuse(name, value, 'number from 1e-25 to below 1');
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
