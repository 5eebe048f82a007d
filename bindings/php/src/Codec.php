<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** Values as bytes. What decode() throws at is taken for a miss. */
interface Codec
{
    public function encode(mixed $value): string;

    public function decode(string $bytes): mixed;
}
