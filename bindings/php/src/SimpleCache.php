<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

use Psr\SimpleCache\CacheInterface;

/**
 * PSR-16 over the guard. get() that finds nothing takes the lease, and set() writes under it what the caller loaded then; null
 * is "no such row". Other requests wait meanwhile, so call set() after each miss, or delete() if the row could not be loaded.
 * set() answers false, and writes nothing, where an erase or an announcement came between.
 */
final class SimpleCache implements CacheInterface
{
    /** @var array<string, string> leases that get() took, by "=KEY" */
    private array $leases = [];

    public function __construct(private readonly CacheGuard $guard)
    {
    }

    public function __destruct()
    {
        $this->guard->giveBack($this->leases);
    }

    public function get($key, $default = null): mixed
    {
        $name = self::name($key);
        $isOwn = isset($this->leases["=$name"]); // nobody else loads it, so there is nothing to wait for
        $row = $this->guard->lookUp($name, $lease, $isOwn ? 0.0 : null);
        if ($lease !== null) {
            $this->leases["=$name"] = $lease;
        }
        return $row ?? $default;
    }

    public function set($key, $value, $ttl = null): bool
    {
        $name = self::name($key);
        $seconds = self::seconds($ttl);
        if ($seconds !== null && $seconds <= 0) {
            return $this->delete($key);
        }
        $lease = $this->leases["=$name"] ?? null;
        unset($this->leases["=$name"]);
        if ($lease === null) { // of what the caller knew before now; only where nobody loads or inserts the row
            $this->delete($key);
            $this->guard->lookUp($name, $lease, 0.0);
        }
        return $lease !== null && $this->guard->write($name, $lease, $value, $seconds);
    }

    public function delete($key): bool
    {
        $name = self::name($key);
        try {
            $this->guard->erase($name);
        } catch (NotErased) {
            return false;
        }
        unset($this->leases["=$name"]);
        return true;
    }

    /** False: a guard does not know its keys. */
    public function clear(): bool
    {
        return false;
    }

    public function getMultiple($keys, $default = null): iterable
    {
        $rows = [];
        foreach (self::each($keys) as $key) {
            $rows[$key] = $this->get($key, $default);
        }
        return $rows;
    }

    public function setMultiple($values, $ttl = null): bool
    {
        $all = true;
        foreach (self::each($values) as $key => $value) {
            $all = $this->set(is_int($key) ? (string) $key : $key, $value, $ttl) && $all;
        }
        return $all;
    }

    public function deleteMultiple($keys): bool
    {
        $all = true;
        foreach (self::each($keys) as $key) {
            $all = $this->delete($key) && $all;
        }
        return $all;
    }

    /** Whether there is a row at this moment; takes no lease. */
    public function has($key): bool
    {
        $row = $this->guard->lookUp(self::name($key), $lease, 0.0);
        if ($lease !== null) {
            $this->guard->giveBack(['=' . $key => $lease]);
        }
        return $row !== null;
    }

    private static function name(mixed $key): string
    {
        if (!is_string($key) || $key === '' || strpbrk($key, '{}()/\\@:') !== false) {
            throw new InvalidKey('a key of PSR-16 is a text, not empty and without {}()/\\@:');
        }
        return $key;
    }

    private static function each(mixed $given): iterable
    {
        return is_iterable($given) ? $given : throw new InvalidKey('keys and values are arrays or Traversable');
    }

    private static function seconds(mixed $ttl): ?float
    {
        if ($ttl instanceof \DateInterval) {
            $now = new \DateTimeImmutable();
            return (float) ($now->add($ttl)->getTimestamp() - $now->getTimestamp());
        }
        return $ttl === null ? null : (float) $ttl;
    }
}
