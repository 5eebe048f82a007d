<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** Old values may still be in the cache: erase again. What the database committed stays committed. */
class NoFence extends GuardException
{
}
