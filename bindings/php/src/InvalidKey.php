<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** A key that PSR-16 does not allow. */
class InvalidKey extends \InvalidArgumentException implements \Psr\SimpleCache\InvalidArgumentException
{
}
