<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** The keys are not announced, or not any more: do not commit the rows. */
class NotAnnounced extends GuardException
{
}
