<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** The connection to the server broke. Every verb of the guard may be sent again. */
class Disconnected extends ServerError
{
}
