<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** The codec of every language: JSON in UTF-8. Objects are read as arrays. JSON's null is no value. */
final class JsonCodec implements Codec
{
    public function encode(mixed $value): string
    {
        $bytes = json_encode(
            $value,
            JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION
        );
        if ($bytes === 'null') {
            throw new \InvalidArgumentException('a value of ' . get_debug_type($value) . ' is null as JSON, which means no such row');
        }
        return $bytes;
    }

    public function decode(string $bytes): mixed
    {
        return json_decode($bytes, true, 512, JSON_THROW_ON_ERROR)
            ?? throw new \UnexpectedValueException('null as JSON is no value: no such row is an entry of its own');
    }
}
