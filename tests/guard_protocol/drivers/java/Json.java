// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** As much JSON as the scenes need. Values within `rows` stay the text that they are: a Raw. */
final class Json {
  static final class Raw {
    final String text;

    Raw(String text) {
      this.text = text;
    }
  }

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object read(String text) {
    Json json = new Json(text);
    Object value = json.value(false);
    json.space();
    if (json.at != text.length()) {
      throw new IllegalArgumentException("more than one value");
    }
    return value;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private boolean take(char wanted) {
    space();
    if (at < text.length() && text.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private void need(char wanted) {
    if (!take(wanted)) {
      throw new IllegalArgumentException("expected " + wanted + " at " + at);
    }
  }

  private Object value(boolean raw) {
    space();
    if (take('{')) {
      Map<String, Object> map = new LinkedHashMap<>();
      if (!take('}')) {
        do {
          space();
          String name = string();
          need(':');
          map.put(name, name.equals("rows") ? rows() : value(raw));
        } while (take(','));
        need('}');
      }
      return map;
    }
    if (take('[')) {
      List<Object> list = new ArrayList<>();
      if (!take(']')) {
        do {
          list.add(value(raw));
        } while (take(','));
        need(']');
      }
      return list;
    }
    if (at < text.length() && text.charAt(at) == '"') {
      return string();
    }
    int from = at;
    while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(from, at);
    if (word.equals("null")) {
      return null;
    }
    return word.equals("true") || word.equals("false") ? (Object) word.equals("true") : (Object) Double.valueOf(word);
  }

  private List<Object> rows() {
    need('[');
    List<Object> rows = new ArrayList<>();
    if (!take(']')) {
      do {
        space();
        int from = at;
        Object value = value(true);
        rows.add(value == null ? null : new Raw(text.substring(from, at)));
      } while (take(','));
      need(']');
    }
    return rows;
  }

  private String string() {
    need('"');
    StringBuilder out = new StringBuilder();
    while (text.charAt(at) != '"') {
      char next = text.charAt(at++);
      if (next == '\\') {
        next = text.charAt(at++);
        if (next == 'u') {
          out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
          continue;
        }
        next = "\b\f\n\r\t".indexOf(next) >= 0 ? next : "bfnrt".indexOf(next) < 0 ? next : "\b\f\n\r\t".charAt("bfnrt".indexOf(next));
      }
      out.append(next);
    }
    at++;
    return out.toString();
  }

  static String write(Object value) {
    if (value instanceof Raw) {
      return ((Raw) value).text;
    }
    if (value instanceof List) {
      List<String> all = new ArrayList<>();
      ((List<?>) value).forEach(each -> all.add(write(each)));
      return "[" + String.join(",", all) + "]";
    }
    if (value instanceof Map) {
      List<String> all = new ArrayList<>();
      ((Map<?, ?>) value).forEach((name, each) -> all.add(write(name) + ":" + write(each)));
      return "{" + String.join(",", all) + "}";
    }
    if (!(value instanceof String)) {
      return String.valueOf(value);
    }
    StringBuilder out = new StringBuilder("\"");
    for (char each : ((String) value).toCharArray()) {
      out.append(each < 32 || each > 126 || each == '"' || each == '\\' ? String.format("\\u%04x", (int) each) : String.valueOf(each));
    }
    return out.append('"').toString();
  }
}
