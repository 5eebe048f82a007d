#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>
#include "bloomery/hash/native_hash.h"
#include "bloomery/source/open_source.h"
using namespace bloomery;
int main(int argc, char** argv) {
  auto t = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  SourceOptions o;
  if (argc > 2) o.encoding = parse_key_encoding(argv[2]);
  if (argc > 4) o.field = atoi(argv[4]), o.delimiter = "/";
  bool hash = argc > 3 && strchr(argv[3], 'h');
  bool out = argc > 3 && strchr(argv[3], 'o');
  bool cnt = argc > 3 && strchr(argv[3], 'c');
  double a = t();
  auto s = open_source(argv[1], o);
  double b = t();
  std::uint64_t n = 0;
  if (cnt) n = s->expected_count().value_or(0);
  double c = t();
  NativeHash h;
  std::vector<HashPair> hp(1024);
  std::uint64_t x = 0;
  auto tot = s->for_each_batch([&](const Batch& bt) {
    if (hash) {
      h.hash_many(bt.keys, hp.data());
      for (auto& p : std::span(hp).first(bt.keys.size())) x ^= p.h1;
    }
    if (out) {
      std::string o2;
      o2.reserve(65536);
      for (auto l : bt.lines) {
        o2 += l;
        o2 += '\n';
      }
      if (write(1, o2.data(), o2.size()) < 0) return false;
    }
    return true;
  });
  double d = t();
  fprintf(stderr, "open %.3f count %.3f (%lu) scan %.3f keys %lu nulls %lu bytes %lu  %lx\n", b - a,
          c - b, n, d - c, tot.key_count, tot.null_count, tot.byte_count, x);
}
