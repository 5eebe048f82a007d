# SPDX-License-Identifier: Apache-2.0
"""Workers that crawl share which pages were fetched, in one file; spellings of a page are one key.

A page that seems to be there already is left out: at most one page in a thousand is missed, none is
fetched twice one after the other, and a worker that is killed takes nothing with it.
"""
import multiprocessing
import os
import tempfile

import pybloomery

PAGES = [f"https://example.org/page/{number}" for number in range(2000)]


def spelled(page, worker):
    """As links on other pages have it."""
    return [
        page,
        page.replace("https://example.org", "HTTPS://Example.ORG:443"),
        page.replace("/page/", "/./page/../page/") + "#top",
    ][worker % 3]


def crawl(path, worker):
    fetched = 0
    with pybloomery.open_shared(path) as seen:
        for page in PAGES:
            fetched += seen.add(spelled(page, worker))  # False: it was there, or so it seems
    return fetched


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "seen.bloom")
        pybloomery.BloomFilter(100_000, 0.001, keys="text --normalise url").save(path)
        with multiprocessing.get_context("spawn").Pool(3) as pool:
            fetched = pool.starmap(crawl, [(path, worker) for worker in range(3)])
        seen = pybloomery.load(path)
        print(f"{sum(fetched)} fetched of {3 * len(PAGES)} links to {len(PAGES)} pages")
        # Two workers that come to a new page at the same moment may both fetch it.
        assert len(PAGES) * 0.99 < sum(fetched) < 3 * len(PAGES)
        assert all(page in seen for page in PAGES)
        assert "https://example.org/other" not in seen


if __name__ == "__main__":
    main()
