<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** The library Predis, of one server. */
final class PredisConnection implements Connection
{
    public function __construct(private readonly \Predis\Client $client)
    {
    }

    public function run(array $words): mixed
    {
        try {
            $reply = $this->client->executeRaw($words, $error);
        } catch (\Predis\Connection\ConnectionException $broken) {
            $this->client->disconnect();
            throw new Disconnected($broken->getMessage(), 0, $broken);
        } catch (\Predis\PredisException $failed) {
            throw new ServerError($failed->getMessage(), 0, $failed);
        }
        if ($error) {
            throw new ServerError((string) $reply);
        }
        return $reply;
    }
}
