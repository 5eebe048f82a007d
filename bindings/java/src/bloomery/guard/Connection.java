// SPDX-License-Identifier: Apache-2.0
package bloomery.guard;

import java.util.List;

/**
 * One Redis or Valkey server, by whatever client there is. Called by many threads at once.
 *
 * <p>Jedis: {@code words -> { try (Jedis jedis = pool.getResource()) { return jedis.sendCommand(() -> words.get(0),
 * words.subList(1, words.size()).toArray(new byte[0][])); } }}
 */
@FunctionalInterface
public interface Connection {
  /**
   * Sends a command.
   *
   * @return the reply: {@code byte[]}, {@code Long}, {@code List<?>} of these, or null
   * @throws Exception where the server refuses it, with the server's text as its message; or the connection failed. Every
   *     command of a guard may be sent again.
   */
  Object send(List<byte[]> words) throws Exception;

  /**
   * Sends commands one behind the other on one connection, which {@link CacheGuard#announceWaiting} needs: WAIT is about the
   * writes of its own connection. If a connection is lost, sends all of them again or none.
   *
   * @return the replies in order
   * @throws Exception where the server refuses one of them, or the connection failed
   */
  default List<Object> sendInOrder(List<List<byte[]>> commands) throws Exception {
    throw new UnsupportedOperationException("the connection has no sendInOrder");
  }
}
