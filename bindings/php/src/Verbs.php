<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** The verbs of docs/guard_protocol.md, each one call of the script. */
final class Verbs
{
    private const MOST_KEYS = 1000;
    private static ?string $script = null;

    public function __construct(
        private readonly Connection $connection,
        private readonly string $name,
        private readonly Settings $settings,
    ) {
        if (strpbrk($name, '{}') !== false) {
            throw new \InvalidArgumentException("a guard's name has no braces");
        }
        self::$script ??= (string) file_get_contents(__DIR__ . '/guard.lua');
    }

    /** @param list<string> $names @return list<list<mixed>> */
    public function get(array $names, bool $asksFilter, string $identity, ?array $fence): array
    {
        [$source, $position] = $fence ?? ['', ''];
        $answers = [];
        foreach (array_chunk($names, self::MOST_KEYS) as $batch) {
            $words = [
                $asksFilter ? $this->settings->family : '', $asksFilter ? $identity : '', $source, (string) $position,
                self::token(), self::milliseconds($this->settings->leaseLife), ...$batch,
            ];
            try {
                array_push($answers, ...$this->about('get', $batch, $words, $asksFilter));
            } catch (ServerError $error) {
                $this->giveBack($names, $answers);
                throw $error;
            }
        }
        return $answers;
    }

    /** Drops what was leased by the answers about the first of these names. */
    private function giveBack(array $names, array $answers): void
    {
        $leases = [];
        foreach ($answers as $i => $answer) {
            $isLeased = $answer[0] === 'lease' || ($answer[0] === 'value' && isset($answer[3]));
            $leases += $isLeased ? [$names[$i] => end($answer)] : [];
        }
        try {
            $this->drop($leases);
        } catch (ServerError) {
            // They end by themselves.
        }
    }

    /** @param list<array{string, string, ?string}> $puts key, lease, bytes or null @return list<mixed> */
    public function put(array $puts, ?float $valueLife = null): array
    {
        $done = [];
        foreach (array_chunk($puts, self::MOST_KEYS) as $batch) {
            $words = [];
            foreach ($batch as [, $lease, $bytes]) {
                array_push($words, $lease, ...$this->life($bytes, $valueLife), ...[$bytes ?? '']);
            }
            array_push($done, ...$this->about('put', array_column($batch, 0), $words));
        }
        return $done;
    }

    /** @param array<string, string> $leases by key */
    public function drop(array $leases): void
    {
        foreach (array_chunk($leases, self::MOST_KEYS, true) as $batch) {
            $this->about('drop', array_map(strval(...), array_keys($batch)), array_values($batch));
        }
    }

    /**
     * Whether the token's marks of all had held.
     *
     * @param list<string> $names
     * @throws ServerError also if fewer replicas than `$replicas` have them within `$limit` seconds
     */
    public function announce(array $names, string $token, int $replicas, float $limit): bool
    {
        $held = true;
        $filter = $this->settings->filter !== null;
        foreach (array_chunk($names, self::MOST_KEYS) as $batch) {
            $words = [$filter ? $this->settings->family : '', '', '', '', $token, self::milliseconds($this->settings->markLife), ...$batch];
            $held = !in_array(0, array_slice($this->run($this->keys($batch, $filter), ['announce', ...$words], $replicas, $limit), 1), true) && $held;
        }
        return $held;
    }

    /** @param list<string> $names */
    public function erase(array $names, string $token): void
    {
        foreach (array_chunk($names, self::MOST_KEYS) as $batch) {
            $this->about('erase', $batch, [$token]);
        }
    }

    /** The filter's identity. */
    public function open(): string
    {
        $filter = (string) $this->settings->filter;
        $markers = (str_contains($filter, '{') ? $filter : '{' . $filter . '}') . ':markers';
        $keys = str_ends_with($this->settings->family, 'BLOOM') ? [$filter] : [$filter, $markers];
        return (string) $this->run($keys, ['open', $this->settings->family]);
    }

    /** Whether there is a place among the queries of all processes. */
    public function enter(string $token): bool
    {
        $words = ['enter', $token, (string) $this->settings->queriesAtOnce, self::milliseconds($this->settings->leaseLife)];
        return $this->run([$this->name . ':queries'], $words) === 1;
    }

    public function leave(string $token): void
    {
        $this->run([$this->name . ':queries'], ['leave', $token]);
    }

    public static function token(): string
    {
        return bin2hex(random_bytes(16));
    }

    private static function milliseconds(float $seconds): string
    {
        return (string) (int) round($seconds * 1000);
    }

    /** @return list<string> the kind of the entry, its life, and when to refresh it */
    private function life(?string $bytes, ?float $valueLife): array
    {
        $drawn = 1 + $this->settings->jitter * (2 * mt_rand() / mt_getrandmax() - 1);
        $life = ($bytes === null ? $this->settings->negativeLife : ($valueLife ?? $this->settings->valueLife)) * 1000 * $drawn;
        $life = (int) min(max(1, round($life)), 315360000000);
        $refreshes = $bytes !== null && $this->settings->refreshAhead > 0;
        $after = $refreshes ? max(1, (int) round($life * (1 - $this->settings->refreshAhead))) : 0;
        return [$bytes === null ? 'N' : 'V', (string) $life, (string) $after];
    }

    private function about(string $verb, array $names, array $words, bool $withFilter = false): mixed
    {
        return $this->run($this->keys($names, $withFilter), [$verb, ...$words]);
    }

    private function keys(array $names, bool $withFilter): array
    {
        $keys = [];
        foreach ($names as $name) {
            array_push($keys, "$this->name:{=$name}", "$this->name:{=$name}:lease");
        }
        if ($withFilter) {
            $keys[] = (string) $this->settings->filter;
        }
        return $keys;
    }

    private function run(array $keys, array $words, int $replicas = 0, float $limit = 0): mixed
    {
        if ($this->settings->commands !== '') {
            $first = $again = [$this->settings->commands . '.' . strtoupper(array_shift($words))];
        } else {
            $first = ['EVALSHA', sha1((string) self::$script)];
            $again = ['EVAL', (string) self::$script];
        }
        $words = [(string) count($keys), ...$keys, ...$words];
        if ($replicas > 0) {
            return $this->waiting([...$again, ...$words], $replicas, $limit);
        }
        try {
            return $this->connection->run([...$first, ...$words]);
        } catch (ServerError $error) {
            if (!$error instanceof Disconnected && !str_starts_with($error->getMessage(), 'NOSCRIPT')) {
                throw $error;
            }
            return $this->connection->run([...$again, ...$words]); // every verb may come twice
        }
    }

    /** Sends a verb and WAIT behind it. Throws if fewer replicas have the verb's writes in time. */
    private function waiting(array $words, int $replicas, float $limit): mixed
    {
        if (!$this->connection instanceof InOrder) {
            throw new ServerError('the connection is not ' . InOrder::class);
        }
        [$reply, $reached] = $this->connection->runInOrder([$words, ['WAIT', (string) $replicas, self::milliseconds($limit)]]);
        if ($reached < $replicas) {
            throw new ServerError("$reached replicas have it, not $replicas");
        }
        return $reply;
    }
}
