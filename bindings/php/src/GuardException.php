<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** What the guard throws by itself. Errors of the loader come through as they are. */
class GuardException extends \RuntimeException
{
}
