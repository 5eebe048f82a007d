<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** The server could not be asked, or refused. The guard then asks the loader, and announces and erases nothing. */
class ServerError extends GuardException
{
}
