<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** Of a guard. Lives and waits are in seconds. */
final class Settings
{
    public function __construct(
        /** The key of a filter on that server; null: none. */
        public readonly ?string $filter = null,
        /** BLOOM, BF, or these with a module's prefix. */
        public readonly string $family = 'BLOOM',
        public readonly Codec $codec = new JsonCodec(),
        public readonly float $valueLife = 600,
        public readonly float $negativeLife = 60,
        /** Each life of an entry is drawn from life * (1 ± this). */
        public readonly float $jitter = 0.1,
        /** One reader loads anew in this last share of a value's life; 0: never. */
        public readonly float $refreshAhead = 0,
        /** Longer than the slowest query. */
        public readonly float $leaseLife = 5,
        /** Longer than a transaction that inserts. */
        public readonly float $markLife = 30,
        /** How long a reader waits for another's query. */
        public readonly float $waitLimit = 10,
        /** Queries of all processes of guards of this name; 0: not counted. */
        public readonly int $queriesAtOnce = 32,
        public readonly float $queryWait = 0.2,
        /** The loader reads a replica, so its "no such row" is not written. */
        public readonly bool $readsReplica = false,
        /** Whether a filter in this process may have the key: fn(string $key): bool. */
        public readonly ?\Closure $near = null,
        /** That filter's set never changes, so it denies by itself. */
        public readonly bool $nearIsFinal = false,
        /** A server that failed so often in a row is left alone for failurePause; announce and erase always go there. */
        public readonly int $failuresInARow = 5,
        public readonly float $failurePause = 1,
        /** GUARD where the server has the commands of bloomery's module (a prefix before it), instead of the script. */
        public readonly string $commands = '',
    ) {
        foreach (compact('valueLife', 'negativeLife', 'leaseLife', 'markLife') as $name => $life) {
            if (!($life >= 0.001 && $life <= 315360000)) {
                throw new \InvalidArgumentException("$name is $life; allowed are 0.001 to 315360000 seconds");
            }
        }
        if (!($jitter >= 0 && $jitter < 1 && $refreshAhead >= 0 && $refreshAhead < 1)) {
            throw new \InvalidArgumentException('jitter and refreshAhead are from 0 to below 1');
        }
    }
}
