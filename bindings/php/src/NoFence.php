<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** The follower gives no fence: load from the database. */
class NoFence extends GuardException
{
}
