// SPDX-License-Identifier: Apache-2.0
// Measures Guava's BloomFilter<Long> as measure_row.cc measures the others: the same keys, made in
// untimed chunks, the same number of them, the processor time of the one thread beside the wall
// clock. Prints a JSON object for every repetition and one for what was counted.
//
//   java -cp guava.jar GuavaBench.java KEYS RATE REPETITIONS full|smoke

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;

public final class GuavaBench {
  private static final int CHUNK = 1_000_000;
  private static final int HEADER_BYTES = 6; // of writeTo: strategy, probes, number of words
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final long keys;
  private final double rate;
  private final int repetitions;
  private final int passes; // over a chunk in a repetition
  private final long[] chunk;

  private BloomFilter<Long> filter;
  private long nextMember = 0;
  private long nextStranger = 0;
  private long membersDrawn = 0;
  private long strangers = 0;
  private long positives = 0;
  private long lost = 0;

  private GuavaBench(long keys, double rate, int repetitions, boolean smoke) {
    this.keys = keys;
    this.rate = rate;
    this.repetitions = repetitions;
    chunk = new long[(int) Math.min(keys, CHUNK)];
    passes = smoke ? 1 : CHUNK / chunk.length;
    filter = emptyFilter();
  }

  public static void main(String[] args) throws IOException {
    long keys = Long.parseLong(args[0]);
    double rate = Double.parseDouble(args[1]);
    int repetitions = Integer.parseInt(args[2]);
    boolean smoke = args[3].equals("smoke");
    if (!smoke) new GuavaBench(100_000, rate, 5, false).run(false); // compiles what is hot
    new GuavaBench(keys, rate, repetitions, smoke).run(true);
  }

  private void run(boolean prints) throws IOException {
    measure("insert_one", prints, this::insertChunk);
    while (nextMember < keys) insertChunk();
    measure("absent_one", prints, () -> askChunk(false));
    measure("present_one", prints, () -> askChunk(true));
    if (!prints) return;
    System.out.printf(
        Locale.ROOT,
        "{\"strangers\":%d,\"positives\":%d,\"lost\":%d,\"byte_count\":%d}%n",
        strangers, positives, lost, byteCount());
  }

  // What one pass over a chunk took, without making its keys.
  private static final class Cost {
    long keys;
    long cpuNs;
    long wallNs;

    void add(long count, long cpu, long wall) {
      keys += count;
      cpuNs += cpu;
      wallNs += wall;
    }
  }

  private interface Pass {
    Cost run();
  }

  private void measure(String operation, boolean prints, Pass pass) {
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      Cost sum = new Cost();
      for (int i = 0; i < passes; ++i) {
        Cost cost = pass.run();
        sum.add(cost.keys, cost.cpuNs, cost.wallNs);
      }
      if (!prints) continue;
      System.out.printf(
          Locale.ROOT,
          "{\"operation\":\"%s\",\"cpu_ns\":%.4f,\"wall_ns\":%.4f}%n",
          operation, (double) sum.cpuNs / sum.keys, (double) sum.wallNs / sum.keys);
    }
  }

  private Cost insertChunk() {
    if (nextMember == keys) {
      filter = emptyFilter();
      nextMember = 0;
    }
    int count = (int) Math.min(chunk.length, keys - nextMember);
    makeKeys(nextMember, count);
    nextMember += count;
    Cost cost = new Cost();
    long wall = System.nanoTime();
    long cpu = THREADS.getCurrentThreadCpuTime();
    for (int i = 0; i < count; ++i) filter.put(chunk[i]);
    cost.add(count, THREADS.getCurrentThreadCpuTime() - cpu, System.nanoTime() - wall);
    return cost;
  }

  private Cost askChunk(boolean members) {
    if (members) {
      makeKeys(
          Long.remainderUnsigned(scramble(++membersDrawn), keys - chunk.length + 1), chunk.length);
    } else {
      nextStranger += chunk.length;
      makeKeys(keys + nextStranger, chunk.length);
    }
    Cost cost = new Cost();
    long found = 0;
    long wall = System.nanoTime();
    long cpu = THREADS.getCurrentThreadCpuTime();
    for (int i = 0; i < chunk.length; ++i) found += filter.mightContain(chunk[i]) ? 1 : 0;
    cost.add(chunk.length, THREADS.getCurrentThreadCpuTime() - cpu, System.nanoTime() - wall);
    if (members) {
      lost += chunk.length - found;
    } else {
      strangers += chunk.length;
      positives += found;
    }
    return cost;
  }

  private BloomFilter<Long> emptyFilter() {
    filter = null; // or there would be two
    return BloomFilter.create(Funnels.longFunnel(), keys, rate);
  }

  private void makeKeys(long first, int count) {
    for (int i = 0; i < count; ++i) chunk[i] = scramble(first + i);
  }

  // The finaliser "moremur" (Evensen 2019), as in bench_keys.cc.
  private static long scramble(long number) {
    number = (number ^ (number >>> 27)) * 0x3c79ac492ba7b653L;
    number = (number ^ (number >>> 33)) * 0x1c69b3f74ac4ae35L;
    return number ^ (number >>> 27);
  }

  // Of the bits alone, through the public way out.
  private long byteCount() throws IOException {
    long[] count = {0};
    filter.writeTo(
        new OutputStream() {
          @Override
          public void write(int one) {
            ++count[0];
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            count[0] += length;
          }
        });
    return count[0] - HEADER_BYTES;
  }
}
