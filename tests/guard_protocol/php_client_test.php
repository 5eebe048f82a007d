<?php

// SPDX-License-Identifier: Apache-2.0
// What the guard for PHP has beyond the scenes: PSR-16, places among the queries of all processes, keys that are digits.
// php_client_test.php PORT WITH_MODULE: on an empty server.
declare(strict_types=1);

use Bloomery\Guard\{BytesCodec, CacheGuard, Connection, InvalidKey, NotAnnounced, Overloaded, PhpRedisConnection, ServerError, Settings, SimpleCache};

spl_autoload_register(function (string $class): void {
    foreach (['Bloomery\\Guard\\' => __DIR__ . '/../../bindings/php/src/', 'Psr\\SimpleCache\\' => '/usr/share/php/Psr/SimpleCache/'] as $space => $folder) {
        if (str_starts_with($class, $space)) {
            require $folder . str_replace('\\', '/', substr($class, strlen($space))) . '.php';
        }
    }
});

function same(mixed $wanted, mixed $got): void
{
    if ($wanted !== $got) {
        $line = debug_backtrace()[0]['line'];
        throw new Exception("line $line: expected " . var_export($wanted, true) . ', but it is ' . var_export($got, true));
    }
}

function throws(string $class, callable $step): void
{
    try {
        $step();
    } catch (Throwable $error) {
        same($class, $error::class);
        return;
    }
    same("throws $class", 'nothing');
}

$redis = new Redis();
$redis->connect('127.0.0.1', (int) $argv[1]);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP); // which must not touch what the guard sends
$redis->setOption(Redis::OPT_PREFIX, 'other:');
$guard = fn (mixed ...$settings) => new CacheGuard(new PhpRedisConnection($redis), 'n', new Settings(...$settings));
$strings = fn () => count($redis->rawCommand('KEYS', '*'));

// Keys that are digits are one key, whatever PHP's arrays make of them.
$one = $guard();
same([7 => 'x', 8 => null], $one->getMany([7, '7', '8'], fn (array $keys) => array_fill_keys(array_diff($keys, ['8']), 'x')));
same('x', $one->get('7', fn () => throw new Exception()));
same(['', '}'], array_map(strval(...), array_keys($one->getMany(['', '}'], fn () => []))));
throws(TypeError::class, fn () => $one->getMany([1.5], fn () => []));
same("\xff\0", $guard(codec: new BytesCodec())->get('bytes', fn () => "\xff\0"));
throws(TypeError::class, fn () => $guard(codec: new BytesCodec())->get('number', fn () => 7));
throws(JsonException::class, fn () => $one->get('no utf-8', fn () => "\xff"));
$null = new class implements JsonSerializable {
    public function jsonSerialize(): mixed
    {
        return null;
    }
};
throws(InvalidArgumentException::class, fn () => $one->get('null', fn () => $null));
throws(InvalidArgumentException::class, function () use ($guard, $null): void {
    $cache = new SimpleCache($guard());
    $cache->get('null');
    $cache->set('null', $null);
});
same(0, $redis->rawCommand('EXISTS', 'n:{=number}:lease', 'n:{=no utf-8}:lease', 'n:{=null}', 'n:{=null}:lease'));
$redis->rawCommand('SET', 'n:{=null}', 'V0000000000000null');
same('row', $one->get('null', fn () => 'row'));
foreach ([['valueLife' => 0], ['jitter' => 1], ['leaseLife' => -1]] as $wrong) {
    throws(InvalidArgumentException::class, fn () => $guard(...$wrong));
}
throws(InvalidArgumentException::class, fn () => new CacheGuard(new PhpRedisConnection($redis), 'a{b'));
$redis->rawCommand('FLUSHALL');

// A place among the queries of all processes, and of a process that died.
$few = $guard(queriesAtOnce: 1, queryWait: 0.02);
same('a', $few->get('a', function () use ($few) {
    throws(Overloaded::class, fn () => $few->get('b', fn () => 1));
    return 'a';
}));
same(0, $redis->rawCommand('EXISTS', 'n:{=b}:lease', 'n:queries'));
$redis->rawCommand('ZADD', 'n:queries', '1', 'dead');
same(1, $few->get('b', fn () => 1));

// Too few replicas, a filter in the process, a fence.
throws(NotAnnounced::class, fn () => $one->announce('c', wait: 1, waitLimit: 0.01));
same(0, $redis->rawCommand('EXISTS', 'n:{=c}:lease'));
same(null, $guard(near: fn (string $key) => $key === 'alice', nearIsFinal: true)->get('bob', fn () => throw new Exception()));
same(2, $guard(near: fn () => false)->get('carol', fn () => 2));
same(null, $one->get('dave', fn () => null, ['source', '7']));
same(0, $redis->rawCommand('EXISTS', 'n:{=dave}'));

$ahead = $guard(refreshAhead: 0.1);
$redis->rawCommand('SET', 'n:{=dave}', 'V0000000000001"old"');
same('old', $ahead->get('dave', fn () => null, ['source', '7']));
same(['V0000000000001"old"', 0], [$redis->rawCommand('GET', 'n:{=dave}'), $redis->rawCommand('EXISTS', 'n:{=dave}:lease')]);
same('old', $ahead->get('dave', fn () => null));
same('N', $redis->rawCommand('GET', 'n:{=dave}'));
foreach ([['', ''], [], ['source', ''], ['', '7'], ['source'], ['source', null], ['a' => 'source', 'b' => '7']] as $fence) {
    throws(InvalidArgumentException::class, fn () => $one->get('erin', fn () => 1, $fence));
}
foreach ([[-1, 1], [1, 0], [1, 0.0004], [1, NAN]] as [$wait, $limit]) {
    throws(InvalidArgumentException::class, fn () => $one->announce('erin', $wait, $limit));
}
same(0, $redis->rawCommand('EXISTS', 'n:{=erin}', 'n:{=erin}:lease'));

// A server that is away is left alone for a while.
$away = new CacheGuard(new PhpRedisConnection(function () {
    $redis = new Redis();
    $redis->connect('127.0.0.1', 1);
    return $redis;
}), 'n', new Settings(failuresInARow: 2, failurePause: 60));
for ($i = 0; $i < 4; ++$i) {
    same($i, $away->get('a', fn () => $i));
}
same(2, $away->counters['skips']);

// More keys than one call takes.
$redis->rawCommand('FLUSHALL');
$keys = array_map(fn (int $i) => "k$i", range(1, 2500));
same(array_combine($keys, $keys), $one->getMany($keys, fn (array $asked) => array_combine($asked, $asked)));
same(array_combine($keys, $keys), $one->getMany($keys, fn () => throw new Exception()));
$redis->rawCommand('FLUSHALL');
$fails = new class(new PhpRedisConnection($redis)) implements Connection {
    public int $calls = 0;

    public function __construct(private readonly Connection $connection)
    {
    }

    public function run(array $words): mixed
    {
        return ++$this->calls === 2 ? throw new ServerError('away') : $this->connection->run($words);
    }
};
$redis->rawCommand('SET', 'n:{=k1}', 'V0000000000001"old"');
$gone = new CacheGuard($fails, 'n', new Settings(queriesAtOnce: 0));
same($keys, array_values($gone->getMany($keys, fn (array $asked) => array_combine($asked, $asked))));
same(['n:{=k1}'], $redis->rawCommand('KEYS', '*'));
$redis->rawCommand('FLUSHALL');

// PSR-16.
$cache = new SimpleCache($guard());
same('none', $cache->get('alice', 'none'));
same(true, $cache->set('alice', ['name' => 'Alice']));
same(['name' => 'Alice'], $cache->get('alice'));
same([true, false], [$cache->has('alice'), $cache->has('bob')]);
same(1, $strings());
same(null, $cache->get('old'));
$one->erase('old');
same(false, $cache->set('old', 'of before the erase'));
same(null, $cache->get('old'));
same(true, $cache->set('old', null));
same('d', $cache->get('old', 'd'));
same(true, $cache->set('alice', 'new', new DateInterval('PT10S')));
same(true, abs($redis->rawCommand('PTTL', 'n:{=alice}') - 10000) <= 1000);
same('new', $cache->get('alice'));
$mark = $one->announce(['ed']);
same([null, false], [$cache->get('ed'), $cache->set('ed', 'too early')]);
$mark->release();
same(true, $cache->setMultiple(['1' => 'one', 'two' => 2], 60));
same(['1' => 'one', 'two' => 2, 'three' => 'd'], $cache->getMultiple(['1', 'two', 'three'], 'd'));
same(true, $cache->deleteMultiple(['1', 'two']));
same(true, $cache->set('two', 'x', 0));
same(false, $cache->has('two'));
same(false, $cache->clear());
foreach (['', 'a{b', 'a:b', 'a@b', 7] as $wrong) {
    throws(InvalidKey::class, fn () => $cache->get($wrong));
}
$begun = microtime(true);
same(['twice' => null], $cache->getMultiple(['twice', 'twice']));
same(null, $cache->get('twice'));
same(true, microtime(true) - $begun < 4);
same(true, $cache->set('twice', 2));
same(2, $cache->get('twice'));
$cache->get('left');
same(1, $redis->rawCommand('EXISTS', 'n:{=left}:lease'));
unset($cache);
same(0, $redis->rawCommand('EXISTS', 'n:{=left}:lease', 'n:{=three}:lease'));

// The page's blocks.
if ($argv[2] === 'yes') {
    $redis->rawCommand('FLUSHALL');
    $redis->rawCommand('BLOOM.RESERVE', 'users:filter', '0.0001', '100');
    $redis->rawCommand('BLOOM.ADD', 'users:filter', 'alice');
    preg_match_all('/```php\n(.*?)```/s', file_get_contents(__DIR__ . '/../../docs/php.md'), $blocks);
    same(2, count($blocks[1]));
    $database = new class extends ArrayObject {
        public function find(string $id): ?string
        {
            return $this[$id] ?? null;
        }

        public function findMany(array $ids): array
        {
            return array_intersect_key($this->getArrayCopy(), array_flip($ids));
        }
    };
    $database['alice'] = 'Alice';
    $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
    ob_start();
    eval(str_replace(['<?php', '$redis = new Redis();', "\$redis->connect('127.0.0.1');"], '', implode("\n", $blocks[1])));
    same("Bob B.\n{\"alice\":\"Alice A.\",\"carol\":null,\"bob\":\"Bob B.\"}\n", ob_get_clean());
}
echo "php: all as it should be\n";
