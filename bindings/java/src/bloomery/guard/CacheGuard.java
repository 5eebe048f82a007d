// SPDX-License-Identifier: Apache-2.0
package bloomery.guard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Filter, cache and single flight on one server, shared with every other language: docs/guard_protocol.md. For many threads at
 * once. Keys are texts; a row that is null is no row.
 */
public final class CacheGuard<V> {
  /** Loads the row of a key; null where there is none. */
  @FunctionalInterface
  public interface Loader<V, E extends Exception> {
    V load(String key) throws E;
  }

  /** Loads the rows of keys; those that have none are not in the map. */
  @FunctionalInterface
  public interface BatchLoader<V, E extends Exception> {
    Map<String, V> load(List<String> keys) throws E;
  }

  private static final String[] COUNTED = {"absents", "values", "none", "loads", "waits", "opens", "unknowns", "late", "overloaded",
    "server_errors", "skips", "loader_errors", "refreshes"};

  private static final byte[] NULL = {'n', 'u', 'l', 'l'};

  private final Verbs verbs;
  private final Codec<V> codec;
  private final GuardOptions options;
  private final Semaphore turns;
  private final Map<String, LongAdder> counters = new TreeMap<>();
  private volatile String identity = "";
  private volatile long nextOpen = System.nanoTime();
  private volatile long pausedUntil = System.nanoTime();
  private volatile int failures;

  /** name: the guard's, without braces; guards of one name share rows. */
  public CacheGuard(Connection connection, String name, Codec<V> codec, GuardOptions options) {
    this.options = options;
    this.codec = codec;
    verbs = new Verbs(connection, name, options);
    turns = new Semaphore(options.queriesAtOnce);
    for (String each : COUNTED) {
      counters.put(each, new LongAdder());
    }
  }

  /** The row of the key, from the cache or by the loader. */
  public <E extends Exception> V get(String key, Loader<V, E> load) throws E {
    return get(key, load, null);
  }

  /** The same behind a fence, which may be null. */
  public <E extends Exception> V get(String key, Loader<V, E> load, Fence fence) throws E {
    BatchLoader<V, E> one = names -> Collections.singletonMap(key, load.load(key));
    return rows(Collections.singletonList(key), one, fence).get(key);
  }

  /** The rows by key, in the order of the keys; null for those that have none. */
  public <E extends Exception> Map<String, V> getMany(Collection<String> keys, BatchLoader<V, E> load) throws E {
    return getMany(keys, load, null);
  }

  /** The same behind a fence, which may be null. */
  public <E extends Exception> Map<String, V> getMany(Collection<String> keys, BatchLoader<V, E> load, Fence fence) throws E {
    List<String> names = new ArrayList<>(new LinkedHashSet<>(keys));
    Map<String, V> found = rows(names, load, fence);
    Map<String, V> rows = new LinkedHashMap<>();
    names.forEach(name -> rows.put(name, found.get(name)));
    return rows;
  }

  /** The same as get, in a thread of the executor. */
  public CompletableFuture<V> getAsync(String key, Function<String, V> load, Executor executor) {
    return CompletableFuture.supplyAsync(() -> get(key, load::apply), executor);
  }

  /** Announces rows before they are inserted, for try-with-resources. Throws NotAnnounced: then do not insert. */
  public Announcement announce(String... keys) {
    return new Announcement(verbs, new ArrayList<>(new LinkedHashSet<>(Arrays.asList(keys))), 0, Duration.ZERO);
  }

  /**
   * Announces, and returns when so many replicas have it. Throws NotAnnounced if fewer have it within limit. The connection must
   * have {@link Connection#sendInOrder}. Renewing waits as well.
   */
  public Announcement announceWaiting(int replicas, Duration limit, String... keys) {
    GuardOptions.require(replicas >= 1 && replicas <= 1_000_000, "replicas", replicas, "1 to 1000000");
    GuardOptions.requireLife("limit", limit);
    return new Announcement(verbs, new ArrayList<>(new LinkedHashSet<>(Arrays.asList(keys))), replicas, limit);
  }

  /** After the commit of changes and deletions. Throws NotErased: then call again. */
  public void erase(String... keys) {
    try {
      verbs.erase(new ArrayList<>(new LinkedHashSet<>(Arrays.asList(keys))), "");
    } catch (IllegalArgumentException misuse) {
      throw misuse;
    } catch (Exception failed) {
      throw new GuardException.NotErased(failed);
    }
  }

  /** Reads the filter's identity, also anew after a rebuild: whoever calls vouches that the filter is whole. */
  public void open() throws Exception {
    identity = verbs.open();
  }

  /** What was counted since the guard was made. */
  public Map<String, Long> counters() {
    Map<String, Long> snapshot = new TreeMap<>();
    counters.forEach((name, count) -> snapshot.put(name, count.sum()));
    return snapshot;
  }

  private void count(String what, long by) {
    counters.get(what).add(by);
  }

  private <E extends Exception> Map<String, V> rows(List<String> names, BatchLoader<V, E> load, Fence fence) throws E {
    Map<String, V> rows = new HashMap<>();
    List<String> waiting = new ArrayList<>();
    for (String name : names) {
      if (options.near != null && options.nearIsFinal && !options.near.test(name)) {
        rows.put(name, null);
        count("absents", 1);
      } else {
        waiting.add(name);
      }
    }
    long deadline = System.nanoTime() + options.waitLimit.toNanos();
    Set<String> unreadable = new HashSet<>();
    double pause = 1e6;
    while (!waiting.isEmpty()) {
      List<Verbs.Answer> answers = ask(waiting, fence);
      Map<String, byte[]> leases = new LinkedHashMap<>();
      List<String> opens = new ArrayList<>();
      List<String> again = new ArrayList<>();
      for (int i = 0; i < waiting.size(); i++) {
        settle(waiting.get(i), answers.get(i), rows, leases, opens, again, unreadable, load, fence);
      }
      if (!leases.isEmpty() || !opens.isEmpty()) {
        rows.putAll(load(leases, opens, load, fence));
      }
      waiting = again;
      if (!waiting.isEmpty() && leases.isEmpty()) {
        if (System.nanoTime() - deadline >= 0) {
          throw new GuardException.WaitedTooLong("another loads " + waiting.get(0));
        }
        pause((long) (pause * ThreadLocalRandom.current().nextDouble(0.8, 1)));
        pause = Math.min(pause * 1.5, 12e6);
      }
    }
    return rows;
  }

  private <E extends Exception> void settle(String name, Verbs.Answer answer, Map<String, V> rows, Map<String, byte[]> leases,
      List<String> opens, List<String> again, Set<String> unreadable, BatchLoader<V, E> load, Fence fence) {
    if (answer.presence.equals("unknown")) {
      count("unknowns", 1);
    }
    switch (answer.word) {
      case "value":
        try {
          rows.put(name, decode(answer.value));
          count("values", 1);
        } catch (Exception otherBytes) {
          (unreadable.add(name) ? again : opens).add(name);
          attempt(() -> verbs.erase(Collections.singletonList(name), ""));
          break;
        }
        if (answer.lease != null) {
          count("refreshes", 1);
          refresh(name, answer.lease, load, fence);
        }
        break;
      case "absent":
      case "none":
        rows.put(name, null);
        count(answer.word.equals("none") ? "none" : "absents", 1);
        break;
      case "lease":
        leases.put(name, answer.lease);
        break;
      case "wait":
        count("waits", 1);
        again.add(name);
        break;
      default:
        count("opens", 1);
        opens.add(name);
    }
  }

  // The server's answers, in order. Where it cannot be asked, each is to be loaded, and not written.
  private List<Verbs.Answer> ask(List<String> names, Fence fence) {
    if (System.nanoTime() - pausedUntil < 0) {
      count("skips", names.size());
      return Collections.nCopies(names.size(), new Verbs.Answer());
    }
    List<Verbs.Answer> answers = new ArrayList<>();
    try {
      if (options.filter != null && identity.isEmpty() && System.nanoTime() - nextOpen >= 0) {
        nextOpen = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        attempt(this::open);
      }
      boolean isNear = options.near != null && fence == null && names.stream().allMatch(options.near);
      verbs.get(names, options.filter != null && !isNear, identity, fence, answers);
      failures = 0;
      return answers;
    } catch (IllegalArgumentException misuse) {
      throw misuse;
    } catch (Exception away) {
      noteInterrupt(away);
      count("server_errors", 1);
      if (++failures >= options.failuresInARow) { // two threads may count one: it is a rule of thumb
        pausedUntil = System.nanoTime() + options.failurePause.toNanos();
      }
      giveBack(names, answers);
      return Collections.nCopies(names.size(), new Verbs.Answer());
    }
  }

  // Ends what calls leased before one that failed.
  private void giveBack(List<String> names, List<Verbs.Answer> answers) {
    Map<String, byte[]> leases = new LinkedHashMap<>();
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i).lease != null) {
        leases.put(names.get(i), answers.get(i).lease);
      }
    }
    attempt(() -> verbs.drop(leases));
  }

  // Asks the loader, writes what was leased, and returns the rows.
  private <E extends Exception> Map<String, V> load(Map<String, byte[]> leases, List<String> opens, BatchLoader<V, E> load, Fence fence)
      throws E {
    List<String> names = new ArrayList<>(leases.keySet());
    names.addAll(opens);
    Map<String, V> rows = new HashMap<>();
    Map<String, byte[]> unwritten = new LinkedHashMap<>();
    List<Verbs.Put> puts = new ArrayList<>();
    boolean isAsked = false;
    boolean done = false;
    try {
      takeTurn();
      isAsked = true;
      try {
        count("loads", 1);
        Map<String, V> found = load.load(Collections.unmodifiableList(names));
        names.forEach(name -> rows.put(name, found.get(name)));
      } finally {
        turns.release();
      }
      for (Map.Entry<String, byte[]> each : leases.entrySet()) {
        V row = rows.get(each.getKey());
        if (row == null && (fence != null || options.readsReplica)) {
          unwritten.put(each.getKey(), each.getValue());
        } else {
          puts.add(new Verbs.Put(each.getKey(), each.getValue(), row == null ? null : encode(each.getKey(), row)));
        }
      }
      done = true;
    } finally {
      if (!done) {
        count("loader_errors", isAsked ? 1 : 0);
        attempt(() -> verbs.drop(leases));
      }
    }
    attempt(() -> verbs.drop(unwritten));
    attempt(() -> {
      for (Object each : verbs.put(puts)) {
        if (!Long.valueOf(1).equals(each)) {
          count(Long.valueOf(0).equals(each) ? "late" : "server_errors", 1);
        }
      }
    });
    return rows;
  }

  private byte[] encode(String key, V row) {
    byte[] bytes;
    try {
      bytes = codec.encode(row);
    } catch (Exception failed) {
      throw new IllegalArgumentException("the codec does not take the row of \"" + key + "\": " + failed.getMessage(), failed);
    }
    if (bytes == null || Arrays.equals(bytes, NULL) && !isDecoded(bytes)) {
      throw new IllegalArgumentException("the codec makes null of the row of \"" + key + "\", a " + row.getClass().getName()
          + "; a loader gives null where there is no such row");
    }
    return bytes;
  }

  // A codec's null is no value: "no such row" is an entry of its own.
  private V decode(byte[] bytes) throws Exception {
    V row = codec.decode(bytes);
    if (row == null) {
      throw new IllegalArgumentException("an entry is null");
    }
    return row;
  }

  private boolean isDecoded(byte[] bytes) {
    try {
      return decode(bytes) != null;
    } catch (Exception otherBytes) {
      return false;
    }
  }

  // Loads a row anew, under a lease that came with its old value. Errors are counted, no more.
  private <E extends Exception> void refresh(String name, byte[] lease, BatchLoader<V, E> load, Fence fence) {
    try {
      options.refreshIn.execute(() -> {
        try {
          load(Collections.singletonMap(name, lease), Collections.emptyList(), load, fence);
        } catch (Throwable counted) {
          // In the reader's thread it would take the place of the old value.
        }
      });
    } catch (Throwable refused) { // the executor takes no more, or has no thread
      attempt(() -> verbs.drop(Collections.singletonMap(name, lease)));
    }
  }

  private void takeTurn() {
    try {
      if (turns.tryAcquire(options.queryWait.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new GuardException.WaitedTooLong("interrupted");
    }
    count("overloaded", 1);
    throw new GuardException.Overloaded(options.queriesAtOnce + " queries run already");
  }

  private static void pause(long nanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new GuardException.WaitedTooLong("interrupted");
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  private void attempt(Step step) {
    try {
      step.run();
    } catch (Exception failed) {
      noteInterrupt(failed);
      count("server_errors", 1);
    }
  }

  private static void noteInterrupt(Exception failed) {
    if (failed instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
  }
}
