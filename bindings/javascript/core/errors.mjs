// SPDX-License-Identifier: Apache-2.0
const CODES = {
  [-1]: 'BAD_ARGUMENT',
  [-2]: 'WRONG_KEYS',
  [-3]: 'BAD_FORMAT',
  [-4]: 'INCOMPATIBLE',
  [-5]: 'STORE_FAILED',
  [-6]: 'NO_MEMORY',
  [-7]: 'IN_DOUBT',
  [-8]: 'FAILED',
};

export class BloomeryError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'BloomeryError';
    this.code = code;
  }
}

export const errorOf = (status, message) => new BloomeryError(CODES[status] ?? 'FAILED', message);
