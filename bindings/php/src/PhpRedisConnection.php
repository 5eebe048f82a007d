<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** The extension phpredis. Its prefix and serializer do not touch what the guard sends. */
final class PhpRedisConnection implements InOrder
{
    private ?\Redis $redis = null;

    /**
     * @param \Redis|\Closure(): \Redis $made one that is connected; or what connects one, so that a process that lives long
     *     can connect again
     */
    public function __construct(private readonly \Redis|\Closure $made)
    {
    }

    public function run(array $words): mixed
    {
        $reply = $this->asked(fn (\Redis $redis) => $redis->rawCommand(...$words));
        return $reply === false ? null : $reply;
    }

    public function runInOrder(array $commands): array
    {
        return $this->asked(function (\Redis $redis) use ($commands) {
            $pipe = $redis->pipeline(); // single calls would connect again between them, without a word
            foreach ($commands as $words) {
                $pipe->rawCommand(...$words);
            }
            return $pipe->exec();
        });
    }

    private function asked(\Closure $ask): mixed
    {
        try {
            $this->redis ??= $this->made instanceof \Closure ? ($this->made)() : $this->made;
            $this->redis->clearLastError();
            $reply = $ask($this->redis);
            $error = $this->redis->getLastError();
        } catch (\RedisException $broken) {
            $this->close();
            throw new Disconnected($broken->getMessage(), 0, $broken);
        }
        if ($error !== null) {
            throw new ServerError($error);
        }
        return $reply;
    }

    /** Closes it: an answer that comes late must not be taken for the next one's. */
    private function close(): void
    {
        try {
            $this->redis?->close();
        } catch (\RedisException) {
            // It is gone already.
        }
        $this->redis = null;
    }
}
