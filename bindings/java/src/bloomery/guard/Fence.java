// SPDX-License-Identifier: Apache-2.0
package bloomery.guard;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How far the database was: "no such row" is of that moment, or later. */
public final class Fence {
  private static final Pattern TEXT = Pattern.compile("([0-9a-f]{32}) ([0-9]{1,20})\\n");

  final String source;
  final String position;

  /** As {@code BLOOM.CHECK … FENCE} takes them. Neither is empty, which would be no fence on the server. */
  public Fence(String source, String position) {
    if (source == null || source.isEmpty() || position == null || position.isEmpty()) {
      throw new IllegalArgumentException("a fence has a source and a position, neither of which is empty");
    }
    this.source = source;
    this.position = position;
  }

  @Override
  public String toString() {
    return source + " " + position;
  }

  /**
   * Asks {@code bloomery follow --metrics} at {@code http://HOST:PORT} how far the database is now, for those who cannot ask the
   * database itself. To be called after the request came.
   *
   * @throws IOException where the follower gives no fence: load from the database
   */
  public static Fence ofFollower(HttpClient client, String url, Duration timeout) throws IOException, InterruptedException {
    URI uri = URI.create(url.replaceAll("/+$", "") + "/fence");
    // A request's own timeout ends where the body begins.
    CompletableFuture<HttpResponse<String>> asked =
        client.sendAsync(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    HttpResponse<String> reply;
    try {
      reply = asked.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException failed) {
      throw new IOException(uri + ": " + failed, failed);
    } finally {
      asked.cancel(true);
    }
    Matcher found = TEXT.matcher(reply.body());
    if (reply.statusCode() != 200 || !found.matches()) {
      throw new IOException(uri + ": " + reply.statusCode() + " " + reply.body().strip());
    }
    return new Fence(found.group(1), found.group(2));
  }
}
