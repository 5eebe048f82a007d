<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

// fences.php SECONDS URL...: the fence that each URL gives in that time, a line each; or "none".

use Bloomery\Guard\FollowerFence;
use Bloomery\Guard\NoFence;

foreach (['GuardException', 'NoFence', 'FollowerFence'] as $class) {
    require __DIR__ . "/../../../bindings/php/src/$class.php";
}
foreach (array_slice($argv, 2) as $url) {
    try {
        echo implode(' ', FollowerFence::ask($url, (float) $argv[1])), "\n";
    } catch (NoFence) {
        echo "none\n";
    }
}
