<?php
// SPDX-License-Identifier: Apache-2.0
// short_links.php SOCKET: a page that sends visitors of old short links on to where they moved.
//
// 50,000 links moved, and anybody may ask for any other: without a filter, each made-up link is a
// query. The filter is the bitmap in Redis that a PHP class of three hashes has. The command fills
// it, in one step instead of a SETBIT for each bit; this page asks it, and adds links as they move:
//
//   bloomery load moved.txt 'php:redis://127.0.0.1:6379?size_kb=128#moved'
//
// For keys of up to nine characters. Of longer ones these hashes drop the last characters, as PHP
// rounds them away (docs/formats.md, "php"); a new site has BF.EXISTS of the module, or any other.

final class MovedLinks
{
    private const KILOBYTES = 128;

    public function __construct(private Redis $redis, private string $key)
    {
    }

    /** False only for a link that was never added. */
    public function mayHave(string $link): bool
    {
        return $this->mayHaveMany([$link])[0];
    }

    /**
     * All of them in one trip.
     *
     * @param list<string> $links
     * @return list<bool>
     */
    public function mayHaveMany(array $links): array
    {
        $pipeline = $this->redis->pipeline();
        foreach ($links as $link) {
            foreach ($this->positions($link) as $position) {
                $pipeline->getBit($this->key, $position);
            }
        }
        return array_map(fn ($bits) => !in_array(0, $bits, true), array_chunk($pipeline->exec(), 3));
    }

    public function add(string $link): void
    {
        $transaction = $this->redis->multi();
        foreach ($this->positions($link) as $position) {
            $transaction->setBit($this->key, $position, true);
        }
        $transaction->exec();
    }

    /** @return list<int> */
    private function positions(string $link): array
    {
        $bkdr = 0;
        $js = 1315423911;
        $sdbm = 0;
        foreach (unpack('C*', $link) as $byte) {
            $bkdr = (int) ($bkdr * 131 + $byte);
            $js ^= ($js << 5) + $byte + ($js >> 2);
            $sdbm = (int) ($byte + ($sdbm << 6) + ($sdbm << 16) - $sdbm);
        }
        $bits = self::KILOBYTES * 8192;
        return array_map(fn ($hash) => (($hash % 0xFFFFFFFF) & 0xFFFFFFFF) % $bits, [$bkdr, $js, $sdbm]);
    }
}

$redis = new Redis();
$redis->connect($argv[1]);
$links = new MovedLinks($redis, 'moved');
$database = ['new0001' => 'https://example.org/new'];
for ($i = 0; $i < 50000; ++$i) {
    $database[sprintf('l%05d', $i)] = "https://example.org/$i"; // moved.txt has these
}
$queries = 0;
$target = function (string $link) use ($links, $database, &$queries): ?string {
    if (!$links->mayHave($link)) {
        return null;
    }
    ++$queries;
    return $database[$link] ?? null;
};

$lost = count(array_filter($links->mayHaveMany(array_slice(array_keys($database), 1)), fn ($found) => !$found));
for ($i = 0; $i < 2000; ++$i) {
    if ($target(bin2hex(random_bytes(4))) !== null) {
        exit(1);
    }
}
$links->add('new0001');
$found = $target('new0001');
echo "2000 made-up links, $queries queries; $lost of 50000 links lost; new0001 is at $found\n";
exit($lost === 0 && $queries < 200 && $found === 'https://example.org/new' ? 0 : 1);
