<?php
// SPDX-License-Identifier: Apache-2.0
// redirects.php SOCKET: a page that sends visitors of old URLs on to where these moved, by a filter of whole URLs.
//
// The class of three hashes (short_links.php) is for keys of nine characters. A filter of the module in Redis hashes all of a
// key, however long; the command makes it of the table of redirects:
//
//   bloomery push 'sqlite:site.db?table=redirects&column=old_url' 'redis://127.0.0.1#moved' -p 0.001
//
// A URL has many spellings. The table holds one of each, canonical(), and page and filter are asked for that one.

/** Host and scheme in lower case, no port that is the scheme's own, no fragment. */
function canonical(string $url): string
{
    $part = parse_url($url);
    if (!isset($part['scheme'], $part['host'])) {
        return $url;
    }
    $port = $part['port'] ?? null;
    $is_usual = $port === null || [$part['scheme'], $port] === ['http', 80] || [$part['scheme'], $port] === ['https', 443];
    return strtolower($part['scheme']) . '://' . strtolower($part['host']) . ($is_usual ? '' : ":$port") .
        ($part['path'] ?? '/') . (isset($part['query']) ? '?' . $part['query'] : '');
}

final class Redirects
{
    public int $queries = 0;

    /** @param array<string, string> $table stands for the table in the database */
    public function __construct(private Redis $redis, private string $key, private array $table)
    {
    }

    public function target(string $url): ?string
    {
        $old = canonical($url);
        // 0 is "surely not there". Anything else, also no answer and a filter that was evicted, asks the database.
        if ($this->redis->rawCommand('BLOOM.CHECK', $this->key, $old) === [0]) {
            return null;
        }
        ++$this->queries;
        return $this->table[$old] ?? null;
    }
}

$redis = new Redis();
$redis->connect($argv[1]);
$table = [];
for ($i = 0; $i < 20000; ++$i) {
    $table["https://example.org/blog/2014/an-article-with-a-long-title-number-$i"] = "https://example.org/a/$i";
}
if (($argv[2] ?? '') === '--print') {
    echo implode("\n", array_keys($table)), "\n"; // what the table has, for the command to load
    exit;
}
$redirects = new Redirects($redis, 'moved', $table);
for ($i = 0; $i < 2000; ++$i) {
    if ($redirects->target("https://example.org/blog/2014/an-article-with-a-long-title-number-$i/nothing") !== null) {
        exit(1);
    }
}
$queries = $redirects->queries;
$lost = 0;
foreach ($table as $old => $new) {
    $lost += $redirects->target(str_replace('https://example', 'HTTPS://EXAMPLE', $old) . '#top') === $new ? 0 : 1;
}
$redis->del('moved'); // as an eviction does
$without = $redirects->target('https://example.org/blog/2014/an-article-with-a-long-title-number-7');
echo "2000 made-up URLs, $queries queries; $lost of 20000 redirects lost; without the filter article 7 is at $without\n";
exit($lost === 0 && $queries < 50 && $without === 'https://example.org/a/7' ? 0 : 1);
