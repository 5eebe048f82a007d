// SPDX-License-Identifier: Apache-2.0
// Typed arrays as the engine has them: a class of the caller's may tell another length, and a shared
// buffer may grow meanwhile.
const typed = (name) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name).get;
const nameOf = typed(Symbol.toStringTag);
const bufferOf = typed('buffer');
const offsetOf = typed('byteOffset');
const lengthOf = typed('length');
const TYPES = {
  Uint8Array,
  Int8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  BigUint64Array,
};

export const plain = (view) => {
  const Type = TYPES[nameOf.call(view)];
  if (Type === undefined) return view;
  const length = lengthOf.call(view);
  // One that its buffer has become too small for has no length, either, but is refused here.
  if (length === 0) Uint8Array.prototype.keys.call(view);
  return new Type(bufferOf.call(view), offsetOf.call(view), length);
};

// Of any realm; nothing that only looks like one.
export const isBytes = (given) => nameOf.call(given) === 'Uint8Array';

const bufferSize = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get;
export const isBuffer = (given) => {
  try {
    bufferSize.call(given);
    return true;
  } catch {
    return false;
  }
};
