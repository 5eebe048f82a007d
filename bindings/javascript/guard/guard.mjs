// SPDX-License-Identifier: Apache-2.0
import guard from './guard.cjs';

export const { Guard, GuardError, NoFence, NotAnnounced, NotErased, Overloaded, WaitedTooLong, bytes, followerFence, json } = guard;
