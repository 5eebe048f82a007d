// SPDX-License-Identifier: Apache-2.0
package bloomery.guard;

import java.time.Duration;
import java.util.List;

/** Rows that are about to be inserted. {@link #close} ends it, after the commit or roll-back. */
public final class Announcement implements AutoCloseable {
  private final Verbs verbs;
  private final List<String> names;
  private final int replicas;
  private final Duration limit;
  private final String token = Verbs.token();

  Announcement(Verbs verbs, List<String> names, int replicas, Duration limit) {
    this.verbs = verbs;
    this.names = names;
    this.replicas = replicas;
    this.limit = limit;
    try {
      renew();
    } catch (GuardException.NotAnnounced failed) {
      try {
        close();
      } catch (GuardException.NotErased ignored) {
        // Its marks end by themselves.
      }
      throw failed;
    }
  }

  /**
   * Just before a commit that comes late: the marks hold anew.
   *
   * @return whether they had held all the while
   * @throws GuardException.NotAnnounced then roll back
   */
  public boolean renew() {
    try {
      return verbs.announce(names, token, replicas, limit);
    } catch (IllegalArgumentException misuse) {
      throw misuse;
    } catch (Exception failed) {
      throw new GuardException.NotAnnounced(failed);
    }
  }

  /**
   * After the commit or roll-back.
   *
   * @throws GuardException.NotErased then call again
   */
  @Override
  public void close() {
    try {
      verbs.erase(names, token);
    } catch (IllegalArgumentException misuse) {
      throw misuse;
    } catch (Exception failed) {
      throw new GuardException.NotErased(failed);
    }
  }
}
