// SPDX-License-Identifier: Apache-2.0
import bloomery.guard.Fence;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;

/** The fence that each URL gives, a line each; or "none". */
final class Fences {
  private Fences() {}

  public static void main(String[] urls) throws InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    for (String url : urls) {
      try {
        System.out.println(Fence.ofFollower(client, url, Duration.ofSeconds(10)));
      } catch (IOException none) {
        System.out.println("none");
      }
    }
  }
}
