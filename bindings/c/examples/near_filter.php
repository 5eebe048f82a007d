<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

// near_filter.php LOCATION KEY...: prints the keys that the filter may have. The class is what stands before a guard in the
// process: new CacheGuard(..., new Settings(near: $filter->mayContain(...))). FFI finds libbloomery.so.0 (Debian's libbloomery0).
final class NearFilter
{
    private const ABSENT = 3; // the only answer that denies a key
    private static ?FFI $library = null;
    private FFI\CData $filter;

    public function __construct(string $location)
    {
        self::$library ??= FFI::cdef(
            'typedef struct bloomery_filter bloomery_filter;
             bloomery_filter* bloomery_open(const char* location, int flags, const char* keys);
             int bloomery_ask(const bloomery_filter* filter, const char* text, size_t size);
             const char* bloomery_message(void);
             void bloomery_close(bloomery_filter* filter);',
            'libbloomery.so.0',
        );
        $this->filter = self::$library->bloomery_open($location, 0, null) ?? throw new RuntimeException(self::$library->bloomery_message());
    }

    public function mayContain(string $key): bool
    {
        return self::$library->bloomery_ask($this->filter, $key, strlen($key)) !== self::ABSENT;
    }

    public function __destruct()
    {
        if (isset($this->filter)) {
            self::$library->bloomery_close($this->filter);
        }
    }
}

if (realpath($argv[0] ?? '') === __FILE__) {
    $filter = new NearFilter($argv[1]);
    foreach (array_slice($argv, 2) as $key) {
        echo $filter->mayContain($key) ? "$key\n" : '';
    }
}
