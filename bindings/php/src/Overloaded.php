<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** No turn came among queriesAtOnce within queryWait. */
class Overloaded extends GuardException
{
}
