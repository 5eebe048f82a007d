<?php

// SPDX-License-Identifier: Apache-2.0
// One actor of the scenes, over the guard for PHP: JSON a line on standard input, and its answers on standard output. The word
// is the connection, phpredis or predis.
declare(strict_types=1);

use Bloomery\Guard\{CacheGuard, GuardException, Connection, PhpRedisConnection, PredisConnection, Settings};

final class LoaderError extends \Exception
{
}

spl_autoload_register(function (string $class): void {
    if (str_starts_with($class, 'Bloomery\\Guard\\')) {
        require __DIR__ . '/../../../bindings/php/src/' . substr($class, 15) . '.php';
    }
});
if (($argv[1] ?? '') === 'predis') {
    require '/usr/share/php/Predis/Autoloader.php';
    Predis\Autoloader::register();
}

function say(array $words): void
{
    fwrite(STDOUT, json_encode($words, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE) . "\n");
}

function hear(): array
{
    $line = fgets(STDIN);
    if ($line === false) {
        exit;
    }
    return json_decode($line, true, 512, JSON_THROW_ON_ERROR);
}

function load(array $keys): array
{
    say(['load' => $keys]);
    return hear()['rows'] ?? throw new LoaderError();
}

function settings(array $options): Settings
{
    $named = [];
    foreach ($options as $name => $value) {
        $named[lcfirst(str_replace('_', '', ucwords($name, '_')))] = $value;
    }
    return new Settings(...$named);
}

function connection(int $port, string $kind): Connection
{
    if ($kind === 'predis') {
        return new PredisConnection(new Predis\Client(['host' => '127.0.0.1', 'port' => $port]));
    }
    return new PhpRedisConnection(function () use ($port): Redis {
        $redis = new Redis();
        $redis->connect('127.0.0.1', $port);
        return $redis;
    });
}

$marks = [];
while (true) {
    $said = hear();
    try {
        switch ($said['do']) {
            case 'open':
                $guard = new CacheGuard(connection($said['port'], $argv[1] ?? 'phpredis'), $said['name'], settings($said['options']));
                say(['did' => 'open']);
                break;
            case 'get':
                say(['rows' => [$guard->get($said['keys'][0], fn (string $key) => load([$key])[0])]]);
                break;
            case 'get_many':
                $rows = $guard->getMany($said['keys'], fn (array $keys) => array_combine($keys, load($keys)));
                say(['rows' => array_map(fn (string $key) => $rows[$key], $said['keys'])]);
                break;
            case 'announce':
                $marks[$said['as']] = $guard->announce($said['keys'], $said['wait'] ?? 0, ($said['limit'] ?? 1000) / 1000);
                say(['did' => 'announce']);
                break;
            case 'renew':
                say(['held' => $marks[$said['as']]->renew()]);
                break;
            case 'release':
                $marks[$said['as']]->release();
                say(['did' => 'release']);
                break;
            case 'erase':
                $guard->erase(...$said['keys']);
                say(['did' => 'erase']);
                break;
            case 'reopen':
                $guard->open();
                say(['did' => 'reopen']);
                break;
        }
    } catch (GuardException | LoaderError $error) {
        say(['error' => (new ReflectionClass($error))->getShortName()]);
    }
}
