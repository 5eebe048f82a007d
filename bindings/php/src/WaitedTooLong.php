<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** Another request loads the row, for longer than waitLimit. */
class WaitedTooLong extends GuardException
{
}
