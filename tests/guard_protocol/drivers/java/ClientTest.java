// SPDX-License-Identifier: Apache-2.0
import bloomery.guard.Announcement;
import bloomery.guard.CacheGuard;
import bloomery.guard.Codec;
import bloomery.guard.Fence;
import bloomery.guard.GuardException;
import bloomery.guard.GuardOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the guard for Java has beyond the scenes. ClientTest PORT WITH_MODULE: on an empty server. */
final class ClientTest {
  private static Resp server;

  private static Object ask(String... words) throws Exception {
    return server.send(Arrays.stream(words).map(word -> word.getBytes(StandardCharsets.UTF_8)).collect(Collectors.toList()));
  }

  private static void same(Object wanted, Object got) {
    if (!Objects.equals(wanted, got)) {
      throw new AssertionError("expected " + wanted + ", but it is " + got);
    }
  }

  private interface Holds {
    boolean hold() throws Exception;
  }

  private interface Step {
    void run() throws Exception;
  }

  private static void refused(Class<?> wanted, Step step) throws Exception {
    try {
      step.run();
    } catch (Exception error) {
      same(wanted, error.getClass());
      return;
    }
    throw new AssertionError("expected " + wanted);
  }

  private static <T> T never(T unused) {
    throw new AssertionError("it is not loaded");
  }

  private static CacheGuard<String> guard(GuardOptions options) {
    return new CacheGuard<>(server, "n", Codec.texts(), options);
  }

  private static void until(Holds holds) throws Exception {
    for (int i = 0; !holds.hold(); i++) {
      if (i > 6000) {
        throw new AssertionError("it does not come");
      }
      Thread.sleep(5);
    }
  }

  private static void manyThreadsMissOneKey() throws Exception {
    CacheGuard<String> guard = guard(new GuardOptions());
    AtomicInteger loads = new AtomicInteger();
    CountDownLatch go = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(32);
    List<CompletableFuture<String>> answers = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      answers.add(guard.getAsync("a", key -> {
        loads.incrementAndGet();
        try {
          go.await();
        } catch (InterruptedException interrupted) {
          throw new IllegalStateException(interrupted);
        }
        return "row";
      }, threads));
    }
    until(() -> guard.counters().get("waits") >= 31);
    go.countDown();
    for (CompletableFuture<String> each : answers) {
      same("row", each.get());
    }
    threads.shutdown();
    same(1, loads.get());
  }

  private static void turns() throws Exception {
    CacheGuard<String> few = guard(new GuardOptions().queriesAtOnce(1).queryWait(Duration.ofMillis(20)));
    same("x", few.get("outer", key -> {
      refusedQuietly(() -> few.get("inner", ClientTest::never));
      return "x";
    }));
    same(0L, ask("EXISTS", "n:{=inner}:lease"));
  }

  private static void refusedQuietly(Step step) {
    try {
      refused(GuardException.Overloaded.class, step);
    } catch (Exception error) {
      throw new AssertionError(error);
    }
  }

  private static void interruption() throws Exception {
    ask("SET", "n:{=busy}:lease", "L" + "f".repeat(48), "PX", "60000");
    Thread.currentThread().interrupt();
    refused(GuardException.WaitedTooLong.class, () -> guard(new GuardOptions()).get("busy", ClientTest::never));
    same(true, Thread.interrupted());
    refused(GuardException.WaitedTooLong.class, () -> guard(new GuardOptions().waitLimit(Duration.ofMillis(30))).get("busy", ClientTest::never));
  }

  private static void keysAndValues() throws Exception {
    CacheGuard<String> guard = guard(new GuardOptions());
    refused(IllegalArgumentException.class, () -> guard.get("half \ud83d", ClientTest::never));
    refused(IllegalArgumentException.class, () -> guard.erase("half \ud83d"));
    CacheGuard<byte[]> bytes = new CacheGuard<>(server, "bytes", Codec.bytes(), new GuardOptions());
    bytes.get("a", key -> new byte[] {-1, 0});
    same("[-1, 0]", Arrays.toString(bytes.get("a", ClientTest::never2)));
    CacheGuard<String> bad = new CacheGuard<>(server, "bad", Codec.of(value -> {
      throw new java.io.IOException("no");
    }, text -> ""), new GuardOptions());
    refused(IllegalArgumentException.class, () -> bad.get("a", key -> "x"));
    same(0L, ask("EXISTS", "bad:{=a}:lease"));
    List<String> keys = IntStream.range(0, 2500).mapToObj(i -> "k" + i).collect(Collectors.toList());
    Map<String, String> all = keys.stream().collect(Collectors.toMap(key -> key, key -> key));
    same(all, guard.getMany(keys, asked -> all));
    same(all, guard.getMany(keys, ClientTest::neverMany));
    refused(java.io.IOException.class, () -> guard.get("checked", key -> {
      throw new java.io.IOException("the loader's own");
    }));
  }

  private static byte[] never2(String unused) {
    throw new AssertionError();
  }

  private static Map<String, String> neverMany(List<String> unused) {
    throw new AssertionError();
  }

  // JSON null by a mapper, and a codec that gives no bytes: neither is "no such row".
  private static void nullIsNoValue() throws Exception {
    Codec<String> mapper = Codec.of(value -> (value.equals("nothing") ? "null" : value).getBytes(StandardCharsets.UTF_8), bytes -> {
      String text = new String(bytes, StandardCharsets.UTF_8);
      return text.equals("null") ? null : text;
    });
    CacheGuard<String> guard = new CacheGuard<>(server, "null", mapper, new GuardOptions());
    refused(IllegalArgumentException.class, () -> guard.get("a", key -> "nothing"));
    refused(IllegalArgumentException.class, () -> new CacheGuard<String>(server, "null", Codec.of(value -> null, bytes -> ""),
        new GuardOptions()).get("a", key -> "x"));
    same(0L, ask("EXISTS", "null:{=a}", "null:{=a}:lease"));
    ask("SET", "null:{=a}", "V0000000000000null");
    same("row", guard.get("a", key -> "row"));
    same("row", guard.get("a", ClientTest::never));
    CacheGuard<String> texts = new CacheGuard<>(server, "null", Codec.texts(), new GuardOptions());
    texts.get("text", key -> "null");
    same("null", texts.get("text", ClientTest::never));
  }

  private static void nearAndFences() throws Exception {
    same(null, guard(new GuardOptions().near("alice"::equals).nearIsFinal(true)).get("bob", ClientTest::never));
    same("2", guard(new GuardOptions().near("alice"::equals)).get("carol", key -> "2"));
    same(null, guard(new GuardOptions()).get("dave", key -> null, new Fence("ab".repeat(16), "7")));
    same(0L, ask("EXISTS", "n:{=dave}"));
    refused(IllegalArgumentException.class, () -> new Fence("", ""));
    refused(IllegalArgumentException.class, () -> new Fence("ab".repeat(16), ""));
    refused(IllegalArgumentException.class, () -> new Fence("", "7"));
    refused(IllegalArgumentException.class, () -> new Fence(null, "7"));
    refused(IllegalArgumentException.class, () -> new Fence("s", null));
  }

  private static void refreshing() throws Exception {
    List<Runnable> later = new ArrayList<>();
    CacheGuard<String> guard = guard(new GuardOptions().refreshAhead(0.5).refreshIn(later::add));
    guard.get("r", key -> "old");
    ask("SETRANGE", "n:{=r}", "1", "0000000000001");
    same("old", guard.get("r", key -> "new"));
    same(1, later.size());
    same("old", guard.get("r", ClientTest::never));
    later.get(0).run();
    same("new", guard.get("r", ClientTest::never));
    CacheGuard<String> full = guard(new GuardOptions().refreshAhead(0.5).refreshIn(task -> {
      throw new java.util.concurrent.RejectedExecutionException();
    }));
    ask("SETRANGE", "n:{=r}", "1", "0000000000001");
    same("new", full.get("r", ClientTest::never));
    same(0L, ask("EXISTS", "n:{=r}:lease"));
  }

  private static void failingRefreshes() throws Exception {
    CacheGuard<String> guard = guard(new GuardOptions().refreshAhead(0.5));
    guard.get("f", key -> "old");
    ask("SETRANGE", "n:{=f}", "1", "0000000000001");
    same("old", guard.get("f", ClientTest::never)); // an Error in this thread
    same(1L, guard.counters().get("loader_errors"));
    same("old", guard.get("f", key -> null, new Fence("s", "7")));
    same(0L, ask("EXISTS", "n:{=f}:lease"));
    same("V0000000000001old", new String((byte[]) ask("GET", "n:{=f}"), StandardCharsets.UTF_8));
    CacheGuard<String> noThread = guard(new GuardOptions().refreshAhead(0.5).refreshIn(task -> {
      throw new OutOfMemoryError("unable to create native thread");
    }));
    same("old", noThread.get("f", ClientTest::never));
    same(0L, ask("EXISTS", "n:{=f}:lease"));
  }

  private static void counters() throws Exception {
    CacheGuard<String> guard = guard(new GuardOptions().refreshAhead(0.5).queriesAtOnce(1).queryWait(Duration.ZERO));
    refused(java.io.IOException.class, () -> guard.get("c", key -> {
      throw new java.io.IOException("no");
    }));
    refused(IllegalStateException.class, () -> guard.getMany(Arrays.asList("c", "d"), keys -> {
      throw new IllegalStateException("no");
    }));
    same(2L, guard.counters().get("loader_errors"));
    guard.get("c", key -> "old");
    ask("SETRANGE", "n:{=c}", "1", "0000000000001");
    guard.get("e", key -> guard.get("c", ClientTest::never)); // its refreshing gets no turn
    same(1L, guard.counters().get("overloaded"));
    same(2L, guard.counters().get("loader_errors"));
  }

  // What the first call of a batch leased is given back where the second fails.
  private static void halfABatch() throws Exception {
    byte[] last = "m1000".getBytes(StandardCharsets.UTF_8);
    CacheGuard<String> half = new CacheGuard<>(words -> {
      if (words.stream().anyMatch(word -> Arrays.equals(last, word))) {
        throw new java.io.IOException("away");
      }
      return server.send(words);
    }, "half", Codec.texts(), new GuardOptions());
    List<String> keys = IntStream.range(0, 1001).mapToObj(i -> "m" + i).collect(Collectors.toList());
    refused(IllegalStateException.class, () -> half.getMany(keys, asked -> {
      same("[]", ask("KEYS", "half:*").toString());
      throw new IllegalStateException("no");
    }));
  }

  private static void away() throws Exception {
    CacheGuard<String> away = new CacheGuard<>(words -> {
      throw new java.io.IOException("away");
    }, "n", Codec.texts(), new GuardOptions().failuresInARow(2).failurePause(Duration.ofMinutes(1)));
    for (String row : Arrays.asList("0", "1", "2", "3")) {
      same(row, away.get("a", key -> row));
    }
    same(2L, away.counters().get("skips"));
    refused(GuardException.NotAnnounced.class, () -> away.announce("a"));
    refused(GuardException.NotErased.class, () -> away.erase("a"));
  }

  private static void options() throws Exception {
    refused(IllegalArgumentException.class, () -> new CacheGuard<>(server, "a{b", Codec.texts(), new GuardOptions()));
    refused(IllegalArgumentException.class, () -> new GuardOptions().valueLife(Duration.ZERO));
    refused(IllegalArgumentException.class, () -> new GuardOptions().jitter(1));
    refused(IllegalArgumentException.class, () -> new GuardOptions().jitter(Double.NaN));
    refused(IllegalArgumentException.class, () -> new GuardOptions().queriesAtOnce(0));
    for (int replicas : new int[] {0, -1, 1_000_001}) {
      refused(IllegalArgumentException.class, () -> guard(new GuardOptions()).announceWaiting(replicas, Duration.ofSeconds(1), "a"));
    }
    for (Duration wait : Arrays.asList(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofMillis(-1))) {
      refused(IllegalArgumentException.class, () -> new GuardOptions().waitLimit(wait));
      refused(IllegalArgumentException.class, () -> new GuardOptions().queryWait(wait));
      refused(IllegalArgumentException.class, () -> new GuardOptions().failurePause(wait));
      refused(IllegalArgumentException.class, () -> new GuardOptions().valueLife(wait));
      refused(IllegalArgumentException.class, () -> guard(new GuardOptions()).announceWaiting(1, wait, "a"));
    }
    guard(new GuardOptions().waitLimit(Duration.ofMillis(315_360_000_000L)).queryWait(Duration.ofMillis(315_360_000_000L))).get("long", key -> "x");
  }

  // As docs/java.md has it.
  private static void page() throws Exception {
    ask("BLOOM.RESERVE", "users:filter", "0.0001", "100");
    ask("BLOOM.ADD", "users:filter", "alice");
    Map<String, String> database = new java.util.HashMap<>(Collections.singletonMap("alice", "Alice"));
    CacheGuard<String> users = new CacheGuard<>(server, "users", Codec.texts(), new GuardOptions().filter("users:filter"));
    same("Alice", users.get("alice", database::get));
    same(null, users.get("carol", ClientTest::never));
    try (Announcement mark = users.announce("bob")) {
      database.put("bob", "Bob B.");
    }
    database.put("alice", "Alice A.");
    users.erase("alice");
    same("{alice=Alice A., carol=null, bob=Bob B.}", users.getMany(Arrays.asList("alice", "carol", "bob"), keys -> database).toString());
  }

  public static void main(String[] words) throws Exception {
    server = new Resp(Integer.parseInt(words[0]));
    manyThreadsMissOneKey();
    turns();
    interruption();
    keysAndValues();
    nullIsNoValue();
    nearAndFences();
    refreshing();
    failingRefreshes();
    counters();
    halfABatch();
    away();
    options();
    if (words[1].equals("yes")) {
      page();
    }
    System.out.println("java: all as it should be");
  }
}
