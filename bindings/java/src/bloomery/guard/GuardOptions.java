// SPDX-License-Identifier: Apache-2.0
package bloomery.guard;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/** How a guard behaves. Each call sets one thing, throws IllegalArgumentException for what is not allowed, and returns this. */
public final class GuardOptions {
  String filter = null;
  String family = "BLOOM";
  Duration valueLife = Duration.ofMinutes(10);
  Duration negativeLife = Duration.ofMinutes(1);
  double jitter = 0.1;
  double refreshAhead = 0;
  Executor refreshIn = Runnable::run;
  Duration leaseLife = Duration.ofSeconds(5);
  Duration markLife = Duration.ofSeconds(30);
  Duration waitLimit = Duration.ofSeconds(10);
  int queriesAtOnce = 32;
  Duration queryWait = Duration.ofMillis(200);
  boolean readsReplica = false;
  Predicate<String> near = null;
  boolean nearIsFinal = false;
  String commands = null;
  int failuresInARow = 5;
  Duration failurePause = Duration.ofSeconds(1);

  /** The key of a filter on that server; null: none. */
  public GuardOptions filter(String value) {
    filter = value;
    return this;
  }

  /** BLOOM, BF, or these with a module's prefix. */
  public GuardOptions family(String value) {
    family = value;
    return this;
  }

  /** How long a value stays. */
  public GuardOptions valueLife(Duration value) {
    requireLife("valueLife", value);
    valueLife = value;
    return this;
  }

  /** How long "no such row" stays. */
  public GuardOptions negativeLife(Duration value) {
    requireLife("negativeLife", value);
    negativeLife = value;
    return this;
  }

  /** Each life of an entry is drawn from life * (1 ± this). */
  public GuardOptions jitter(double value) {
    require(value >= 0 && value < 1, "jitter", value, "0 to below 1");
    jitter = value;
    return this;
  }

  /** One reader loads anew in this last share of a value's life; 0: never. */
  public GuardOptions refreshAhead(double value) {
    require(value >= 0 && value < 1, "refreshAhead", value, "0 to below 1");
    refreshAhead = value;
    return this;
  }

  /** Where that load runs: as a default in the thread of the reader, before it is answered. */
  public GuardOptions refreshIn(Executor value) {
    refreshIn = value;
    return this;
  }

  /** Longer than the slowest query. */
  public GuardOptions leaseLife(Duration value) {
    requireLife("leaseLife", value);
    leaseLife = value;
    return this;
  }

  /** Longer than a transaction that inserts. */
  public GuardOptions markLife(Duration value) {
    requireLife("markLife", value);
    markLife = value;
    return this;
  }

  /** How long a reader waits for another's query. */
  public GuardOptions waitLimit(Duration value) {
    requireWait("waitLimit", value);
    waitLimit = value;
    return this;
  }

  /** Queries of this guard at once. */
  public GuardOptions queriesAtOnce(int value) {
    require(value >= 1, "queriesAtOnce", value, "at least 1");
    queriesAtOnce = value;
    return this;
  }

  /** How long a query waits for its turn. */
  public GuardOptions queryWait(Duration value) {
    requireWait("queryWait", value);
    queryWait = value;
    return this;
  }

  /** The loader reads a replica, so its "no such row" is not written. */
  public GuardOptions readsReplica(boolean value) {
    readsReplica = value;
    return this;
  }

  /** Whether a filter in this process may have the key, such as Guava's {@code filter::mightContain}; null: none. */
  public GuardOptions near(Predicate<String> value) {
    near = value;
    return this;
  }

  /** That filter's set never changes, so it denies by itself. */
  public GuardOptions nearIsFinal(boolean value) {
    nearIsFinal = value;
    return this;
  }

  /** {@code GUARD} where the server has the commands of bloomery's module (a prefix before it); null: the script. */
  public GuardOptions commands(String value) {
    commands = value;
    return this;
  }

  /** A server that failed so often in a row is left alone for failurePause. */
  public GuardOptions failuresInARow(int value) {
    require(value >= 1, "failuresInARow", value, "at least 1");
    failuresInARow = value;
    return this;
  }

  /** How long. */
  public GuardOptions failurePause(Duration value) {
    requireWait("failurePause", value);
    failurePause = value;
    return this;
  }

  static void requireLife(String name, Duration life) {
    require(isWithin(life, 1), name, life, "1 ms to 10 years");
  }

  private static void requireWait(String name, Duration wait) {
    require(isWithin(wait, 0), name, wait, "0 to 10 years");
  }

  private static boolean isWithin(Duration length, long leastMillis) {
    return length.compareTo(Duration.ofMillis(leastMillis)) >= 0 && length.compareTo(Duration.ofMillis(Verbs.LONGEST_LIFE)) <= 0;
  }

  static void require(boolean holds, String name, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException(name + " is " + value + "; allowed is " + allowed);
    }
  }
}
