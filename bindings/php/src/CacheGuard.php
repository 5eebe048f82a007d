<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/**
 * Filter, cache and single flight on one server, shared with every other language: docs/guard_protocol.md.
 * Loaders return null where there is no such row.
 */
final class CacheGuard
{
    private readonly Verbs $verbs;
    private readonly Settings $settings;
    private string $identity = '';
    private float $nextOpen = 0;
    private float $pausedUntil = 0;
    private int $failures = 0;

    /** @var array<string, int> what was counted since the guard was made */
    public array $counters = [
        'absents' => 0, 'values' => 0, 'none' => 0, 'loads' => 0, 'waits' => 0, 'opens' => 0, 'unknowns' => 0,
        'late' => 0, 'overloaded' => 0, 'server_errors' => 0, 'skips' => 0, 'loader_errors' => 0, 'refreshes' => 0,
    ];

    public function __construct(Connection $connection, string $name, Settings $settings = new Settings())
    {
        $this->settings = $settings;
        $this->verbs = new Verbs($connection, $name, $settings);
    }

    /**
     * The row of the key, from the cache or by $load($key).
     *
     * @param ?array{string, string|int} $fence source and position
     * @throws \InvalidArgumentException of half a fence, or an empty one
     */
    public function get(string|int $key, callable $load, ?array $fence = null): mixed
    {
        return $this->rows([(string) $key], fn (array $names) => [$load($key)], $fence)[(string) $key];
    }

    /**
     * The rows by key, in the order of the keys. $load gets a list of keys, and returns an array by key.
     *
     * @param iterable<string|int> $keys
     * @return array<string|int, mixed>
     */
    public function getMany(iterable $keys, callable $load, ?array $fence = null): array
    {
        $names = self::names($keys);
        $found = $this->rows($names, function (array $names) use ($load): array {
            $found = $load($names);
            return array_map(fn (string $name) => $found[$name] ?? null, $names);
        }, $fence);
        $rows = [];
        foreach ($names as $name) {
            $rows[$name] = $found[$name];
        }
        return $rows;
    }

    /**
     * Announces rows before they are inserted. Call release() after the commit or roll-back.
     *
     * @param string|int|iterable<string|int> $keys
     * @param int $wait for so many replicas, 0: none
     * @param float $waitLimit for so many seconds, from 0.001 on
     * @throws NotAnnounced then do not insert
     * @throws \InvalidArgumentException of a $wait or a limit outside of these
     */
    public function announce(string|int|iterable $keys, int $wait = 0, float $waitLimit = 1): Announcement
    {
        return new Announcement($this->verbs, self::names(is_iterable($keys) ? $keys : [$keys]), $wait, $waitLimit);
    }

    /**
     * After the commit of changes and deletions.
     *
     * @throws NotErased then call again
     */
    public function erase(string|int ...$keys): void
    {
        try {
            $this->verbs->erase(self::names($keys), '');
        } catch (ServerError $error) {
            throw new NotErased('not erased, erase again: ' . $error->getMessage(), 0, $error);
        }
    }

    /**
     * For caches whose callers load by themselves: the row, or null and a lease where it is the caller's to load, until write()
     * or giveBack(). Null without a lease: there is no such row, or nothing may be written of it now.
     */
    public function lookUp(string $name, ?string &$lease, ?float $waitLimit = null): mixed
    {
        $lease = null;
        $load = function () {
            throw new \LogicException('nobody loads here');
        };
        $taken = [];
        $rows = $this->rows([$name], $load, null, $waitLimit, $taken);
        $lease = $taken["=$name"] ?? null;
        return $rows[$name] ?? null;
    }

    /** Whether the value was written under the lease; null is "no such row". */
    public function write(string $name, string $lease, mixed $value, ?float $life = null): bool
    {
        try {
            $bytes = $value === null ? null : $this->settings->codec->encode($value);
        } catch (\Throwable $error) {
            $this->giveBack(["=$name" => $lease]);
            throw $error;
        }
        $done = [0];
        $this->attempt(function () use (&$done, $name, $lease, $bytes, $life): void {
            $done = $this->verbs->put([[$name, $lease, $bytes]], $life);
        });
        return $done === [1];
    }

    /** @param array<string, string> $leases by "=KEY" */
    public function giveBack(array $leases): void
    {
        $names = array_map(fn (string $name) => substr($name, 1), array_keys($leases));
        $this->attempt(fn () => $this->verbs->drop($names ? array_combine($names, $leases) : []));
    }

    /** Reads the filter's identity, also anew after a rebuild. Whoever calls vouches that the filter is whole. */
    public function open(): void
    {
        $this->identity = $this->verbs->open();
    }

    /** @return list<string> each key once */
    private static function names(iterable $keys): array
    {
        $names = [];
        foreach ($keys as $key) {
            if (!is_string($key) && !is_int($key)) {
                throw new \TypeError('a key is a string or an integer, not ' . get_debug_type($key));
            }
            $names["=$key"] = (string) $key; // "=", because "7" alone would become a number
        }
        return array_values($names);
    }

    /** Half a fence or an empty one would be no fence on the server. */
    private static function requireWhole(?array $fence): void
    {
        $isWord = fn (mixed $word) => is_int($word) || (is_string($word) && $word !== '');
        if ($fence !== null && !(array_is_list($fence) && count($fence) === 2 && count(array_filter($fence, $isWord)) === 2)) {
            throw new \InvalidArgumentException('a fence is a source and a position, neither empty; or null');
        }
    }

    /** With $taken the rows are not loaded here: leases are put there instead. */
    private function rows(array $names, callable $load, ?array $fence, ?float $waitLimit = null, ?array &$taken = null): array
    {
        self::requireWhole($fence);
        $rows = [];
        if ($this->settings->near && $this->settings->nearIsFinal) {
            $denied = array_filter($names, fn (string $name) => !($this->settings->near)($name));
            $rows = array_fill_keys($denied, null);
            $names = array_values(array_diff($names, $denied));
            $this->counters['absents'] += count($denied);
        }
        $deadline = microtime(true) + ($waitLimit ?? $this->settings->waitLimit);
        $pause = 1000;
        $unreadable = [];
        while ($names) {
            $leases = $opens = $again = [];
            foreach ($this->ask($names, $fence) as $i => $answer) {
                $name = $names[$i];
                $this->counters['unknowns'] += (int) (($answer[1] ?? '') === 'unknown');
                switch ($answer[0]) {
                    case 'value':
                        try {
                            $rows[$name] = $this->settings->codec->decode($answer[2]);
                        } catch (\Throwable) { // other bytes than this codec's
                            isset($unreadable["=$name"]) ? $opens[] = $name : $again[] = $name;
                            $unreadable["=$name"] = true;
                            $this->attempt(fn () => $this->verbs->erase([$name], ''));
                            break;
                        }
                        $this->counters['values']++;
                        if (isset($answer[3]) && $taken !== null) {
                            $this->giveBack(["=$name" => $answer[3]]);
                        } elseif (isset($answer[3])) {
                            $this->refresh($name, $answer[3], $load, $fence);
                        }
                        break;
                    case 'absent':
                    case 'none':
                        $rows[$name] = null;
                        $this->counters[$answer[0] === 'none' ? 'none' : 'absents']++;
                        break;
                    case 'lease':
                        $leases[$name] = $answer[2];
                        if ($taken !== null) {
                            $taken["=$name"] = $answer[2];
                        }
                        break;
                    case 'wait':
                        $this->counters['waits']++;
                        $again[] = $name;
                        break;
                    default:
                        $this->counters['opens']++;
                        $opens[] = $name;
                }
            }
            if ($taken !== null) {
                $rows += array_fill_keys([...array_keys($leases), ...$opens], null);
            } elseif ($leases || $opens) {
                $rows = $this->load($leases, $opens, $load, $fence) + $rows;
            }
            $names = $again;
            if ($names && !$leases) {
                if (microtime(true) >= $deadline) {
                    if ($waitLimit === 0.0) {
                        return $rows + array_fill_keys($names, null);
                    }
                    throw new WaitedTooLong("another loads $names[0]");
                }
                usleep((int) ($pause * mt_rand(80, 100) / 100));
                $pause = min($pause * 3 / 2, 12000);
            }
        }
        return $rows;
    }

    /** The server's answers, in order. Where it cannot be asked, each is to be loaded, and not written. */
    private function ask(array $names, ?array $fence): array
    {
        if (microtime(true) < $this->pausedUntil) {
            $this->counters['skips'] += count($names);
            return array_fill(0, count($names), ['open', 'unknown']);
        }
        try {
            if ($this->settings->filter !== null && $this->identity === '' && microtime(true) >= $this->nextOpen) {
                $this->nextOpen = microtime(true) + 1;
                $this->attempt($this->open(...));
            }
            $near = $fence === null && $this->settings->near
                && count(array_filter($names, $this->settings->near)) === count($names);
            $answers = $this->verbs->get($names, $this->settings->filter !== null && !$near, $this->identity, $fence);
            $this->failures = 0;
            return $answers;
        } catch (ServerError) {
            $this->counters['server_errors']++;
            if (++$this->failures >= $this->settings->failuresInARow) {
                $this->pausedUntil = microtime(true) + $this->settings->failurePause;
            }
            return array_fill(0, count($names), ['open', 'unknown']);
        }
    }

    /** Asks the loader, writes what was leased, and returns the rows by key. */
    private function load(array $leases, array $opens, callable $load, ?array $fence): array
    {
        $names = array_map(strval(...), [...array_keys($leases), ...$opens]);
        $puts = $unwritten = [];
        try {
            $loaded = $this->withTurn(fn () => $load($names));
            $rows = array_combine($names, $loaded);
            foreach ($leases as $name => $lease) {
                if ($rows[$name] === null && ($fence !== null || $this->settings->readsReplica)) {
                    $unwritten[$name] = $lease;
                } else {
                    $puts[] = [(string) $name, $lease, $rows[$name] === null ? null : $this->settings->codec->encode($rows[$name])];
                }
            }
        } catch (\Throwable $error) {
            $this->counters[$error instanceof Overloaded ? 'overloaded' : 'loader_errors']++;
            $this->attempt(fn () => $this->verbs->drop($leases));
            throw $error;
        }
        $this->attempt(fn () => $this->verbs->drop($unwritten));
        $this->attempt(function () use ($puts): void {
            foreach ($this->verbs->put($puts) as $done) {
                $this->counters['late'] += (int) ($done === 0);
                $this->counters['server_errors'] += (int) is_string($done);
            }
        });
        return $rows;
    }

    /** Loads a row anew, under a lease that came with its old value. Errors are counted, no more. */
    private function refresh(string $name, string $lease, callable $load, ?array $fence): void
    {
        $this->counters['refreshes']++;
        try {
            $this->load([$name => $lease], [], $load, $fence);
        } catch (\Throwable) {
            // Counted. The old value is the answer.
        }
    }

    /** Runs the query when there is a place among those of all processes, which a place that nobody leaves gives up in time. */
    private function withTurn(callable $query): array
    {
        $token = $this->settings->queriesAtOnce > 0 ? Verbs::token() : null;
        $deadline = microtime(true) + $this->settings->queryWait;
        try {
            while ($token !== null && !$this->verbs->enter($token)) {
                if (microtime(true) >= $deadline) {
                    throw new Overloaded("{$this->settings->queriesAtOnce} queries run already");
                }
                usleep(5000);
            }
        } catch (ServerError) {
            $this->counters['server_errors']++;
            $token = null; // nobody counts where there is no server
        }
        $this->counters['loads']++;
        try {
            return $query();
        } finally {
            if ($token !== null) {
                $this->attempt(fn () => $this->verbs->leave($token));
            }
        }
    }

    private function attempt(callable $step): void
    {
        try {
            $step();
        } catch (ServerError) {
            $this->counters['server_errors']++;
        }
    }
}
