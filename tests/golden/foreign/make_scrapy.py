#!/usr/bin/env python3
"""Writes scrapy.json: what ScrapyRedisBloomFilter computes and stores.

An independent statement of that class in Python's own numbers and texts, over a model of SETBIT. The class itself, of
version 0.8.1, gave all of these offsets, strings and answers:
    python3 tests/golden/foreign/make_scrapy.py >tests/golden/foreign/scrapy.json
"""
import base64
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


def filled(pattern, bit, hash_number, keys, strangers):
    bitmap = Bitmap()
    seen = []
    for i in range(*keys):
        offsets = [offset(key_of(pattern, i), seed, bit) for seed in range(hash_number)]
        if all(map(bitmap.getbit, offsets)):
            seen.append(i)
        for at in offsets:
            bitmap.setbit(at)
    found = [i for i in range(*strangers)
             if all(bitmap.getbit(offset(key_of(pattern, i), seed, bit))
                    for seed in range(hash_number))]
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
    json.dump({"hash_vectors": hashes, "filters": filters}, sys.stdout, sort_keys=True,
              separators=(",", ":"))


main()
