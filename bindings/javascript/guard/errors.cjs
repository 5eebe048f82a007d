// SPDX-License-Identifier: Apache-2.0
// What a guard throws by itself. Errors of the loader come through as they are.
'use strict';

class GuardError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = this.constructor.name;
  }
}
class Overloaded extends GuardError {}
class WaitedTooLong extends GuardError {}
class NotAnnounced extends GuardError {}
class NotErased extends GuardError {}

module.exports = { GuardError, NotAnnounced, NotErased, Overloaded, WaitedTooLong };
