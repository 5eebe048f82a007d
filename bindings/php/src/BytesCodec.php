<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** Values are strings of bytes, as they are. */
final class BytesCodec implements Codec
{
    public function encode(mixed $value): string
    {
        if (!is_string($value)) {
            throw new \TypeError('a value is a string, not ' . get_debug_type($value));
        }
        return $value;
    }

    public function decode(string $bytes): string
    {
        return $bytes;
    }
}
