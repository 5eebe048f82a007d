// SPDX-License-Identifier: Apache-2.0
import guard from './guard.cjs';

export const { Guard, GuardError, NotAnnounced, NotErased, Overloaded, WaitedTooLong, bytes, json } = guard;
