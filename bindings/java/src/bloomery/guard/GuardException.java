// SPDX-License-Identifier: Apache-2.0
package bloomery.guard;

/** What a guard throws by itself. What the loader throws comes through as it is. */
public class GuardException extends RuntimeException {
  private static final long serialVersionUID = 1;

  GuardException(String message, Throwable cause) {
    super(message, cause);
  }

  /** No turn came among {@link GuardOptions#queriesAtOnce} within {@link GuardOptions#queryWait}. */
  public static final class Overloaded extends GuardException {
    private static final long serialVersionUID = 1;

    Overloaded(String message) {
      super(message, null);
    }
  }

  /** Another request loads the row, for longer than {@link GuardOptions#waitLimit}; or the thread was interrupted. */
  public static final class WaitedTooLong extends GuardException {
    private static final long serialVersionUID = 1;

    WaitedTooLong(String message) {
      super(message, null);
    }
  }

  /** The keys are not announced, or not any more: do not commit the rows. */
  public static final class NotAnnounced extends GuardException {
    private static final long serialVersionUID = 1;

    NotAnnounced(Throwable cause) {
      super("not announced, do not commit the rows: " + cause.getMessage(), cause);
    }
  }

  /** Old values may still be in the cache: erase again. What the database committed stays committed. */
  public static final class NotErased extends GuardException {
    private static final long serialVersionUID = 1;

    NotErased(Throwable cause) {
      super("not erased, erase again: " + cause.getMessage(), cause);
    }
  }
}
