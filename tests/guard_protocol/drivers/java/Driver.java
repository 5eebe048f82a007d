// SPDX-License-Identifier: Apache-2.0
import bloomery.guard.Announcement;
import bloomery.guard.CacheGuard;
import bloomery.guard.Codec;
import bloomery.guard.GuardException;
import bloomery.guard.GuardOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One actor of the scenes, over the guard for Java: JSON a line on standard input, and its answers on standard output. */
final class Driver {
  private static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private static final Codec<Json.Raw> CODEC = Codec.of(row -> row.text.getBytes(StandardCharsets.UTF_8), bytes -> {
    String text = new String(bytes, StandardCharsets.UTF_8);
    return Json.read(text) == null ? null : new Json.Raw(text); // throws where it is none
  });

  private static final class LoaderError extends Exception {
    private static final long serialVersionUID = 1;
  }

  private CacheGuard<Json.Raw> guard;
  private final Map<String, Announcement> marks = new HashMap<>();

  private static void say(String name, Object value) {
    OUT.println(Json.write(Collections.singletonMap(name, value)));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> hear() {
    try {
      String line = IN.readLine();
      if (line == null) {
        System.exit(0);
      }
      return (Map<String, Object>) Json.read(line);
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private static Map<String, Json.Raw> load(List<String> keys) throws LoaderError {
    say("load", keys);
    List<?> rows = (List<?>) hear().get("rows");
    if (rows == null) {
      throw new LoaderError();
    }
    Map<String, Json.Raw> found = new HashMap<>();
    for (int i = 0; i < rows.size(); i++) {
      found.put(keys.get(i), (Json.Raw) rows.get(i));
    }
    return found;
  }

  private static Duration seconds(Object value) {
    return Duration.ofMillis(Math.round((Double) value * 1000));
  }

  private static GuardOptions options(Map<?, ?> given) {
    GuardOptions options = new GuardOptions();
    given.forEach((name, value) -> {
      switch ((String) name) {
        case "filter": options.filter((String) value); break;
        case "family": options.family((String) value); break;
        case "value_life": options.valueLife(seconds(value)); break;
        case "negative_life": options.negativeLife(seconds(value)); break;
        case "lease_life": options.leaseLife(seconds(value)); break;
        case "mark_life": options.markLife(seconds(value)); break;
        case "wait_limit": options.waitLimit(seconds(value)); break;
        case "jitter": options.jitter((Double) value); break;
        case "refresh_ahead": options.refreshAhead((Double) value); break;
        case "commands": options.commands((String) value); break;
        case "reads_replica": options.readsReplica((Boolean) value); break;
        default: throw new IllegalArgumentException("no such option: " + name);
      }
    });
    return options;
  }

  @SuppressWarnings("unchecked")
  private void act(Map<String, Object> said) throws Exception {
    String verb = (String) said.get("do");
    List<String> keys = (List<String>) said.get("keys");
    switch (verb) {
      case "open":
        int port = ((Double) said.get("port")).intValue();
        guard = new CacheGuard<>(new Resp(port), (String) said.get("name"), CODEC, options((Map<?, ?>) said.get("options")));
        break;
      case "get":
        say("rows", Collections.singletonList(guard.get(keys.get(0), key -> load(Collections.singletonList(key)).get(key))));
        return;
      case "get_many":
        Map<String, Json.Raw> rows = guard.getMany(keys, Driver::load);
        List<Object> found = new ArrayList<>();
        keys.forEach(key -> found.add(rows.get(key)));
        say("rows", found);
        return;
      case "announce":
        String[] names = keys.toArray(new String[0]);
        Double wait = (Double) said.get("wait");
        marks.put((String) said.get("as"), wait == null ? guard.announce(names)
            : guard.announceWaiting(wait.intValue(), Duration.ofMillis(((Double) said.get("limit")).longValue()), names));
        break;
      case "renew":
        say("held", marks.get(said.get("as")).renew());
        return;
      case "release":
        marks.get(said.get("as")).close();
        break;
      case "erase":
        guard.erase(keys.toArray(new String[0]));
        break;
      case "reopen":
        guard.open();
        break;
      default:
        throw new IllegalArgumentException(verb);
    }
    say("did", verb);
  }

  public static void main(String[] words) throws Exception {
    Driver driver = new Driver();
    while (true) {
      try {
        driver.act(hear());
      } catch (GuardException | LoaderError error) {
        say("error", error.getClass().getSimpleName());
      } catch (java.io.IOException away) {
        say("error", away.getMessage());
      }
    }
  }
}
