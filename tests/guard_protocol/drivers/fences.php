<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

// The fence that each URL gives, a line each; or "none".

use Bloomery\Guard\FollowerFence;
use Bloomery\Guard\NoFence;

foreach (['GuardException', 'NoFence', 'FollowerFence'] as $class) {
    require __DIR__ . "/../../../bindings/php/src/$class.php";
}
foreach (array_slice($argv, 1) as $url) {
    try {
        echo implode(' ', FollowerFence::ask($url)), "\n";
    } catch (NoFence) {
        echo "none\n";
    }
}
