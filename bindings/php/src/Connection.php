<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** One Redis or Valkey server. Another client than those here needs this method alone. */
interface Connection
{
    /**
     * Sends a command and returns its reply: an array, a string, an integer or null.
     *
     * @param list<string> $words
     * @throws ServerError with the server's text, where it refuses the command
     * @throws Disconnected where the connection broke, or could not be made
     */
    public function run(array $words): mixed;
}
