#!/usr/bin/env python3
"""Writes scrapy.json: what ScrapyRedisBloomFilter computes and stores.

An independent statement of that class in Python's own numbers and texts, over a model of SETBIT. The class itself, of
version 0.8.1, gave all of these offsets, strings and answers:
    python3 tests/golden/foreign/make_scrapy.py >tests/golden/foreign/scrapy.json
The filters of the other lineage, which takes an MD5 first, are stated from its public sources.
"""
import base64
import hashlib
import json
import sys

TEXTS = ["", "a", "ab", "0", "\x7f", "\x80", "ÿ", "中文爬虫", "https://example.com/?q=%E4",
         "\U0001f577 spider", "\ud83d", "x\udd77y", "z" * 200,
         "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"]


def offset(text, seed, bit):
    number = 0
    for character in text:
        number += seed * number + ord(character)
    return number % 2 ** bit


class Bitmap:
    """A string of Redis, under SETBIT."""

    def __init__(self):
        self.data = bytearray()

    def setbit(self, at):
        byte, mask = at // 8, 0x80 >> at % 8
        self.data += bytes(max(0, byte + 1 - len(self.data)))
        self.data[byte] |= mask

    def getbit(self, at):
        return at // 8 < len(self.data) and self.data[at // 8] & 0x80 >> at % 8 != 0


def fingerprint(i):
    """40 digits, as the fingerprints of requests are; tests/support/fingerprint.h makes the same."""
    digits = ""
    for j in range(1, 6):
        word = (i + 1) * j * 0x9E3779B1 % 2 ** 32
        word = (word ^ word >> 15) * 0x85EBCA77 % 2 ** 32
        digits += "%08x" % (word ^ word >> 13)
    return digits


def key_of(pattern, i):
    return fingerprint(i) if pattern == "fingerprint" else pattern % i


MD5_SEEDS = [5, 7, 11, 13, 31, 37, 61]


def plain(text, bit, hash_number):
    return [offset(text, seed, bit) for seed in range(hash_number)]


def by_md5(text, bit, hash_number):
    digits = hashlib.md5(text.encode("utf-8", "surrogatepass")).hexdigest()
    return [offset(digits, seed, bit) for seed in MD5_SEEDS[:hash_number]]


def filled(pattern, bit, hash_number, keys, strangers, offsets_of=plain):
    bitmap = Bitmap()
    seen = []
    for i in range(*keys):
        offsets = offsets_of(key_of(pattern, i), bit, hash_number)
        if all(map(bitmap.getbit, offsets)):
            seen.append(i)
        for at in offsets:
            bitmap.setbit(at)
    found = [i for i in range(*strangers)
             if all(map(bitmap.getbit, offsets_of(key_of(pattern, i), bit, hash_number)))]
    return {"key_pattern": pattern, "bit": bit, "hash_number": hash_number,
            "insert_from": keys[0], "insert_to_exclusive": keys[1],
            "seen_when_inserted": seen,
            "probe_from": strangers[0], "probe_to_exclusive": strangers[1],
            "probe_indices_reported_present": found,
            "string_b64": base64.b64encode(bitmap.data).decode()}


def main():
    hashes = [{"utf8_hex": text.encode("utf-8", "surrogatepass").hex(), "bit": bit,
               "offsets": [offset(text, seed, bit) for seed in range(20)]}
              for text in TEXTS for bit in (10, 30, 32)]
    filters = [filled("fingerprint", 13, 6, (0, 600), (5000, 6000)),
               filled("user:%d", 16, 6, (0, 300), (1000, 2000)),
               filled("商品-%d", 10, 3, (0, 100), (500, 900))]
    md5_hashes = [{"utf8_hex": text.encode("utf-8", "surrogatepass").hex(), "bit": bit,
                   "digest": hashlib.md5(text.encode("utf-8", "surrogatepass")).hexdigest(),
                   "offsets": by_md5(text, bit, 7)}
                  for text in TEXTS + ["m" * length for length in (55, 56, 63, 64, 65, 119, 120, 128)] for bit in (10, 25, 31, 32)]
    md5_filters = [filled("fingerprint", 13, 7, (0, 500), (5000, 6000), by_md5),
                   filled("http://example.com/商品-%d", 12, 5, (0, 300), (500, 1500), by_md5)]
    json.dump({"hash_vectors": hashes, "filters": filters, "md5_hash_vectors": md5_hashes,
               "md5_filters": md5_filters}, sys.stdout, sort_keys=True,
              separators=(",", ":"))


main()
