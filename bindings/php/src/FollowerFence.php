<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** A fence of those who cannot ask the database for one. */
final class FollowerFence
{
    private const MOST_BYTES = 8192;

    /**
     * Asks `bloomery follow --metrics` at http://HOST:PORT how far the database is now. Call it after the request came.
     *
     * @param float $timeout seconds, of the whole call
     * @return array{string, string} source and position, as CacheGuard::get takes them
     * @throws NoFence where the follower gives none: load from the database
     */
    public static function ask(string $url, float $timeout = 3): array
    {
        $reply = self::fetch($url, $timeout) ?? throw new NoFence("$url does not answer");
        [$head, $said] = explode("\r\n\r\n", $reply, 2) + [1 => ''];
        $isThere = preg_match('#\AHTTP/1\.\d 200\b#', $head);
        if (!$isThere || !preg_match('/\A([0-9a-f]{32}) (\d{1,20})\n\z/', $said, $found)) {
            throw new NoFence(str_starts_with($said, 'no fence: ') ? trim($said) : "$url is no follower's");
        }
        return [$found[1], $found[2]];
    }

    /** The reply to GET, head and body, or null. PHP's own client limits each read alone, and not them all. */
    private static function fetch(string $url, float $timeout): ?string
    {
        $deadline = microtime(true) + $timeout;
        $parts = parse_url($url);
        $scheme = $parts['scheme'] ?? '';
        if (!isset($parts['host']) || !in_array($scheme, ['http', 'https'], true)) {
            return null;
        }
        $isSafe = $scheme === 'https';
        $port = $parts['port'] ?? ($isSafe ? 443 : 80);
        $socket = @stream_socket_client(($isSafe ? 'ssl' : 'tcp') . "://{$parts['host']}:$port", $code, $why, $timeout);
        if ($socket === false) {
            return null;
        }
        try {
            $path = rtrim($parts['path'] ?? '', '/') . '/fence';
            @fwrite($socket, "GET $path HTTP/1.0\r\nHost: {$parts['host']}:$port\r\nConnection: close\r\n\r\n");
            return self::read($socket, $deadline);
        } finally {
            fclose($socket);
        }
    }

    /** @param resource $socket */
    private static function read($socket, float $deadline): ?string
    {
        $reply = '';
        while (!self::isWhole($reply)) {
            $left = $deadline - microtime(true);
            if ($left <= 0 || strlen($reply) > self::MOST_BYTES) {
                return null;
            }
            stream_set_timeout($socket, (int) $left, (int) (fmod($left, 1) * 1000000));
            $more = @fread($socket, self::MOST_BYTES);
            if ($more === false || $more === '') {
                return feof($socket) && !stream_get_meta_data($socket)['timed_out'] && $reply !== '' ? $reply : null;
            }
            $reply .= $more;
        }
        return $reply;
    }

    /** Whether the body is as long as its head says. */
    private static function isWhole(string $reply): bool
    {
        $end = strpos($reply, "\r\n\r\n");
        return $end !== false && preg_match('/^content-length: *(\d{1,6})\r$/mi', substr($reply, 0, $end + 1), $found)
            && strlen($reply) >= $end + 4 + (int) $found[1];
    }
}
