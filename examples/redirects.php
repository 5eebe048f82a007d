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

/** Scheme and host in lower case, no port that is the scheme's own, "/" for no path; no user and no fragment. */
function canonical(string $url): string
{
    $url = explode('#', $url, 2)[0];
    $part = parse_url($url);
    if (!isset($part['scheme'], $part['host'])) {
        return $url;
    }
    $scheme = strtolower($part['scheme']);
    $port = $part['port'] ?? null;
    $is_usual = $port === null || [$scheme, $port] === ['http', 80] || [$scheme, $port] === ['https', 443];
    return "$scheme://" . strtolower($part['host']) . ($is_usual ? '' : ":$port") . ($part['path'] ?? '/') .
        (isset($part['query']) ? '?' . $part['query'] : '');
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
const ARTICLE = '/blog/2014/an-article-with-a-long-title-number-';
$sites = ['https://example.org', 'http://example.org', 'https://example.org:8443', 'http://example.org:443'];
$table = [];
for ($i = 0; $i < 20000; ++$i) {
    $table[$sites[$i % 4] . ARTICLE . $i] = "https://example.org/a/$i";
}
$table['https://example.org/'] = 'https://example.org/home';
if (($argv[2] ?? '') === '--print') {
    echo implode("\n", array_keys($table)), "\n"; // what the table has, for the command to load
    exit;
}
$redirects = new Redirects($redis, 'moved', $table);
for ($i = 0; $i < 2000; ++$i) {
    if ($redirects->target('https://example.org' . ARTICLE . "$i/nothing") !== null) {
        exit(1);
    }
}
$queries = $redirects->queries;
// Each site as links spell it, in the order of $sites.
$spelled = [
    ['HTTPS://EXAMPLE.ORG', 'https://example.org:443', 'HTTPS://example.org:443', 'Https://ann:secret@Example.Org:0443'],
    ['HTTP://EXAMPLE.ORG', 'http://example.org:80', 'HTTP://example.org:80', 'Http://ann@Example.Org:080'],
    ['HTTPS://EXAMPLE.ORG:8443', 'Https://Example.Org:8443'],
    ['HTTP://EXAMPLE.ORG:443', 'Http://Example.Org:443'],
];
$lost = 0;
foreach ($spelled as $site => $spellings) {
    for ($i = $site; $i < 20000; $i += 4) {
        $url = $spellings[intdiv($i, 4) % count($spellings)] . ARTICLE . $i . ($i % 3 === 0 ? '#top' : '');
        $lost += $redirects->target($url) === "https://example.org/a/$i" ? 0 : 1;
    }
}
foreach (['HTTPS://Example.org', 'https://example.org#top', 'HTTPS://example.org:443/'] as $home) {
    $lost += $redirects->target($home) === 'https://example.org/home' ? 0 : 1;
}
$redis->del('moved'); // as an eviction does
$without = $redirects->target('https://example.org' . ARTICLE . '8');
echo "2000 made-up URLs, $queries queries; $lost of 20001 redirects lost, however links spell them; ",
    "without the filter article 8 is at $without\n";
exit($lost === 0 && $queries < 50 && $without === 'https://example.org/a/8' ? 0 : 1);
