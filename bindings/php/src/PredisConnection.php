<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** The library Predis, of one server. */
final class PredisConnection implements InOrder
{
    public function __construct(private readonly \Predis\Client $client)
    {
    }

    public function run(array $words): mixed
    {
        $reply = $this->asked(function () use ($words, &$error) {
            return $this->client->executeRaw($words, $error);
        });
        if ($error) {
            throw new ServerError((string) $reply);
        }
        return $reply;
    }

    public function runInOrder(array $commands): array
    {
        return $this->asked(fn () => $this->client->pipeline(function ($pipe) use ($commands) {
            foreach ($commands as $words) {
                $pipe->executeCommand(\Predis\Command\RawCommand::create(...$words));
            }
        }));
    }

    private function asked(\Closure $ask): mixed
    {
        try {
            return $ask();
        } catch (\Predis\Connection\ConnectionException $broken) {
            $this->client->disconnect();
            throw new Disconnected($broken->getMessage(), 0, $broken);
        } catch (\Predis\PredisException $failed) {
            throw new ServerError($failed->getMessage(), 0, $failed);
        }
    }
}
