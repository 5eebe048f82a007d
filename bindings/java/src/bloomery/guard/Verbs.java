// SPDX-License-Identifier: Apache-2.0
package bloomery.guard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.CharBuffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** The verbs of docs/guard_protocol.md, each one call of the script. */
final class Verbs {
  static final long LONGEST_LIFE = 315_360_000_000L;
  private static final int MOST_KEYS = 1000;
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final byte[] SCRIPT = script();
  private static final byte[] SHA = ascii(sha1(SCRIPT));

  /** One answer of get: the word, what the filter knew, and what came with it. */
  static final class Answer {
    final String word;
    final String presence;
    final byte[] value;
    final byte[] lease;

    Answer(List<?> reply) {
      word = text(reply.get(0));
      presence = reply.size() > 1 ? text(reply.get(1)) : "";
      boolean leased = word.equals("lease");
      value = word.equals("value") ? (byte[]) reply.get(2) : null;
      lease = leased ? (byte[]) reply.get(2) : word.equals("value") && reply.size() > 3 ? (byte[]) reply.get(3) : null;
    }

    Answer() {
      word = "open";
      presence = "unknown";
      value = null;
      lease = null;
    }
  }

  /** What put writes: bytes, or null for "no such row". */
  static final class Put {
    final String name;
    final byte[] lease;
    final byte[] value;

    Put(String name, byte[] lease, byte[] value) {
      this.name = name;
      this.lease = lease;
      this.value = value;
    }
  }

  private final Connection connection;
  private final String name;
  private final GuardOptions options;

  Verbs(Connection connection, String name, GuardOptions options) {
    if (name.indexOf('{') >= 0 || name.indexOf('}') >= 0) {
      throw new IllegalArgumentException("a guard's name has no braces");
    }
    this.connection = connection;
    this.name = name;
    this.options = options;
  }

  static String token() {
    byte[] drawn = new byte[16];
    RANDOM.nextBytes(drawn);
    return hex(drawn);
  }

  /** Adds the answers, in order. Where it throws they are those of the calls before. */
  void get(List<String> names, boolean asksFilter, String identity, Fence fence, List<Answer> answers) throws Exception {
    for (List<String> batch : batches(names)) {
      List<byte[]> words = words(asksFilter ? options.family : "", asksFilter ? identity : "", fence == null ? "" : fence.source,
          fence == null ? "" : fence.position, token(), Long.toString(options.leaseLife.toMillis()));
      batch.forEach(each -> words.add(bytes(each)));
      for (Object reply : (List<?>) about("get", batch, words, asksFilter)) {
        answers.add(new Answer((List<?>) reply));
      }
    }
  }

  /** For each 1, 0 (too late), or why not. */
  List<Object> put(List<Put> puts) throws Exception {
    List<Object> done = new ArrayList<>();
    for (List<Put> batch : batches(puts)) {
      List<byte[]> words = new ArrayList<>();
      List<String> names = new ArrayList<>();
      for (Put put : batch) {
        names.add(put.name);
        words.add(put.lease);
        words.addAll(life(put.value));
        words.add(put.value == null ? new byte[0] : put.value);
      }
      done.addAll((List<?>) about("put", names, words, false));
    }
    return done;
  }

  void drop(Map<String, byte[]> leases) throws Exception {
    for (List<Map.Entry<String, byte[]>> batch : batches(new ArrayList<>(leases.entrySet()))) {
      List<String> names = new ArrayList<>();
      List<byte[]> words = new ArrayList<>();
      for (Map.Entry<String, byte[]> each : batch) {
        names.add(each.getKey());
        words.add(each.getValue());
      }
      about("drop", names, words, false);
    }
  }

  /** Whether the token's marks of all had held. Throws, too, if fewer replicas than these have them within the limit. */
  boolean announce(List<String> names, String token, int replicas, Duration limit) throws Exception {
    boolean held = true;
    for (List<String> batch : batches(names)) {
      List<byte[]> words = words(options.filter == null ? "" : options.family, "", "", "", token, Long.toString(options.markLife.toMillis()));
      batch.forEach(each -> words.add(bytes(each)));
      List<?> reply = (List<?>) about("announce", batch, words, options.filter != null, replicas, limit);
      for (Object each : reply.subList(1, reply.size())) {
        held &= ((Long) each) == 1;
      }
    }
    return held;
  }

  void erase(List<String> names, String token) throws Exception {
    for (List<String> batch : batches(names)) {
      about("erase", batch, words(token), false);
    }
  }

  /** The filter's identity. */
  String open() throws Exception {
    String markers = (options.filter.indexOf('{') >= 0 ? options.filter : "{" + options.filter + "}") + ":markers";
    List<byte[]> keys = options.family.endsWith("BLOOM") ? words(options.filter) : words(options.filter, markers);
    return text(run(keys, words("open", options.family), 0, Duration.ZERO));
  }

  private static <T> Collection<List<T>> batches(List<T> all) {
    List<List<T>> batches = new ArrayList<>();
    for (int at = 0; at < all.size(); at += MOST_KEYS) {
      batches.add(all.subList(at, Math.min(at + MOST_KEYS, all.size())));
    }
    return batches;
  }

  // The kind of an entry, its life, and when to refresh it.
  private List<byte[]> life(byte[] value) {
    double drawn = 1 + options.jitter * (2 * ThreadLocalRandom.current().nextDouble() - 1);
    long full = (value == null ? options.negativeLife : options.valueLife).toMillis();
    long life = Math.min(Math.max(1, Math.round(full * drawn)), LONGEST_LIFE);
    long after = value != null && options.refreshAhead > 0 ? Math.max(1, Math.round(life * (1 - options.refreshAhead))) : 0;
    return words(value == null ? "N" : "V", Long.toString(life), Long.toString(after));
  }

  private Object about(String verb, List<String> names, List<byte[]> words, boolean withFilter) throws Exception {
    return about(verb, names, words, withFilter, 0, Duration.ZERO);
  }

  private Object about(String verb, List<String> names, List<byte[]> words, boolean withFilter, int replicas, Duration limit)
      throws Exception {
    List<byte[]> keys = new ArrayList<>();
    for (String each : names) {
      keys.add(bytes(name + ":{=" + each + "}"));
      keys.add(bytes(name + ":{=" + each + "}:lease"));
    }
    if (withFilter) {
      keys.add(bytes(options.filter));
    }
    List<byte[]> all = words(verb);
    all.addAll(words);
    return run(keys, all, replicas, limit);
  }

  private Object run(List<byte[]> keys, List<byte[]> words, int replicas, Duration limit) throws Exception {
    boolean isCommand = options.commands != null;
    List<byte[]> all = isCommand ? words(options.commands + "." + text(words.get(0)).toUpperCase(Locale.ROOT)) : words("EVALSHA");
    if (!isCommand) {
      all.add(SHA);
    }
    all.add(ascii(Integer.toString(keys.size())));
    all.addAll(keys);
    all.addAll(isCommand ? words.subList(1, words.size()) : words);
    if (replicas > 0) {
      if (!isCommand) {
        spellOut(all);
      }
      return waiting(all, replicas, limit);
    }
    try {
      return connection.send(all);
    } catch (Exception failed) {
      if (isRefusal(failed)) {
        throw failed;
      }
      if (!isCommand) {
        spellOut(all);
      }
      return connection.send(all);
    }
  }

  private static void spellOut(List<byte[]> words) {
    words.set(0, ascii("EVAL"));
    words.set(1, SCRIPT);
  }

  // Sends a verb and WAIT behind it. Throws if fewer replicas have the verb's writes in time.
  private Object waiting(List<byte[]> words, int replicas, Duration limit) throws Exception {
    List<byte[]> wait = words("WAIT", Integer.toString(replicas), Long.toString(limit.toMillis()));
    List<Object> replies = connection.sendInOrder(Arrays.asList(words, wait));
    long reached = (Long) replies.get(1);
    if (reached < replicas) {
      throw new IOException(reached + " replicas have it, not " + replicas);
    }
    return replies.get(0);
  }

  // Whether the server said so, other than that it does not know the script. The first word of such a text is in capitals.
  private static boolean isRefusal(Exception failed) {
    String message = String.valueOf(failed.getMessage());
    return failed instanceof InterruptedException || !message.startsWith("NOSCRIPT") && message.matches("(?s)[A-Z]{3,} .*");
  }

  private static List<byte[]> words(String... texts) {
    List<byte[]> words = new ArrayList<>();
    for (String text : texts) {
      words.add(bytes(text));
    }
    return words;
  }

  /** A text's UTF-8. Half a surrogate pair has none, and would be another key's. */
  static byte[] bytes(String text) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException notText) {
      throw new IllegalArgumentException("a key is no text: it has half a surrogate pair", notText);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(Object bytes) {
    return bytes instanceof byte[] ? new String((byte[]) bytes, StandardCharsets.UTF_8) : String.valueOf(bytes);
  }

  private static byte[] script() {
    try (InputStream source = Verbs.class.getResourceAsStream("guard.lua")) {
      return source.readAllBytes();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static String sha1(byte[] bytes) {
    try {
      return hex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException(missing);
    }
  }

  private static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte each : bytes) {
      text.append(Character.forDigit(each >> 4 & 15, 16)).append(Character.forDigit(each & 15, 16));
    }
    return text.toString();
  }
}
