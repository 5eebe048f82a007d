// SPDX-License-Identifier: Apache-2.0
package bloomery.guard;

import java.nio.charset.StandardCharsets;

/**
 * Values as bytes. JSON is what other languages write by default: {@code Codec.of(mapper::writeValueAsBytes, bytes ->
 * mapper.readValue(bytes, User.class))}.
 */
public interface Codec<V> {
  /** The bytes of a value, which is not null. Neither they nor what they mean may be null: such a row is refused. */
  byte[] encode(V value) throws Exception;

  /** The value. What throws, or is null, is taken for a miss. */
  V decode(byte[] bytes) throws Exception;

  /** Texts in UTF-8. */
  static Codec<String> texts() {
    return of(value -> value.getBytes(StandardCharsets.UTF_8), bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** Bytes as they are. */
  static Codec<byte[]> bytes() {
    return of(value -> value, bytes -> bytes);
  }

  /** A step that may throw. */
  @FunctionalInterface
  interface Step<A, B> {
    B apply(A from) throws Exception;
  }

  /** Out of two functions. */
  static <V> Codec<V> of(Step<V, byte[]> encode, Step<byte[], V> decode) {
    return new Codec<>() {
      @Override
      public byte[] encode(V value) throws Exception {
        return encode.apply(value);
      }

      @Override
      public V decode(byte[] bytes) throws Exception {
        return decode.apply(bytes);
      }
    };
  }
}
