// SPDX-License-Identifier: Apache-2.0
package bloomery.guard;

/** How far the database was: "no such row" is of that moment, or later. */
public final class Fence {
  final String source;
  final String position;

  /** As {@code BLOOM.CHECK … FENCE} takes them. */
  public Fence(String source, String position) {
    this.source = source;
    this.position = position;
  }
}
