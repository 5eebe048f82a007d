// SPDX-License-Identifier: Apache-2.0
import bloomery.guard.Fence;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Arrays;

/** Fences SECONDS URL...: the fence that each URL gives in that time, a line each; or "none". */
final class Fences {
  private Fences() {}

  public static void main(String[] words) throws InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    Duration timeout = Duration.ofSeconds(Long.parseLong(words[0]));
    for (String url : Arrays.asList(words).subList(1, words.length)) {
      try {
        System.out.println(Fence.ofFollower(client, url, timeout));
      } catch (IOException none) {
        System.out.println("none");
      }
    }
  }
}
