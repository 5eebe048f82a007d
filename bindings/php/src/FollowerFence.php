<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** A fence of those who cannot ask the database for one. */
final class FollowerFence
{
    /**
     * Asks `bloomery follow --metrics` at http://HOST:PORT how far the database is now. Call it after the request came.
     *
     * @return array{string, string} source and position, as CacheGuard::get takes them
     * @throws NoFence where the follower gives none: load from the database
     */
    public static function ask(string $url, float $timeout = 3): array
    {
        $context = stream_context_create(['http' => ['timeout' => $timeout, 'ignore_errors' => true, 'follow_location' => 0]]);
        $said = @file_get_contents(rtrim($url, '/') . '/fence', false, $context, 0, 500);
        if ($said === false) {
            throw new NoFence("$url does not answer");
        }
        $isThere = preg_match('/ 200\b/', $http_response_header[0] ?? '');
        if (!$isThere || !preg_match('/\A([0-9a-f]{32}) (\d{1,20})\n\z/', $said, $found)) {
            throw new NoFence(str_starts_with($said, 'no fence: ') ? trim($said) : "$url is no follower's");
        }
        return [$found[1], $found[2]];
    }
}
