<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** A connection that can send commands one behind the other, which announce() with `wait` needs: WAIT is about its own writes. */
interface InOrder extends Connection
{
    /**
     * Sends the commands on one connection of the server and returns their replies in order. If it is lost, sends no more.
     *
     * @param list<list<string>> $commands
     * @return list<mixed>
     * @throws ServerError where the server refuses one of them
     * @throws Disconnected where the connection broke, or could not be made
     */
    public function runInOrder(array $commands): array;
}
