// SPDX-License-Identifier: Apache-2.0
import bloomery.guard.Connection;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client of the tests: one socket a thread, which is closed when anything fails on it. */
final class Resp implements Connection {
  private final int port;
  private final ThreadLocal<Socket> sockets = new ThreadLocal<>();
  private final ThreadLocal<InputStream> inputs = new ThreadLocal<>();

  Resp(int port) {
    this.port = port;
  }

  @Override
  public Object send(List<byte[]> words) throws IOException {
    try {
      if (sockets.get() == null) {
        sockets.set(new Socket("127.0.0.1", port));
        sockets.get().setTcpNoDelay(true);
        inputs.set(new BufferedInputStream(sockets.get().getInputStream()));
      }
      OutputStream output = new BufferedOutputStream(sockets.get().getOutputStream());
      output.write(("*" + words.size() + "\r\n").getBytes(StandardCharsets.US_ASCII));
      for (byte[] word : words) {
        output.write(("$" + word.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
        output.write(word);
        output.write("\r\n".getBytes(StandardCharsets.US_ASCII));
      }
      output.flush();
      return reply(inputs.get());
    } catch (IOException failed) {
      if (!(failed instanceof Refusal) && sockets.get() != null) {
        sockets.get().close();
        sockets.remove();
      }
      throw failed;
    }
  }

  @Override
  public List<Object> sendInOrder(List<List<byte[]>> commands) throws IOException {
    List<Object> replies = new ArrayList<>();
    Socket one = null;
    for (List<byte[]> words : commands) {
      if (one != null && one != sockets.get()) {
        throw new EOFException("the connection was lost between two commands");
      }
      replies.add(send(words));
      one = sockets.get();
    }
    return replies;
  }

  private static final class Refusal extends IOException {
    private static final long serialVersionUID = 1;

    Refusal(String message) {
      super(message);
    }
  }

  private static Object reply(InputStream input) throws IOException {
    String line = line(input);
    switch (line.charAt(0)) {
      case '+':
        return line.substring(1).getBytes(StandardCharsets.UTF_8);
      case '-':
        throw new Refusal(line.substring(1));
      case ':':
        return Long.valueOf(line.substring(1));
      case '$':
        int size = Integer.parseInt(line.substring(1));
        if (size < 0) {
          return null;
        }
        byte[] bytes = input.readNBytes(size);
        input.readNBytes(2);
        return bytes;
      default:
        int count = Integer.parseInt(line.substring(1));
        List<Object> all = count < 0 ? null : new ArrayList<>();
        for (int i = 0; i < count; i++) {
          all.add(reply(input));
        }
        return all;
    }
  }

  private static String line(InputStream input) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = input.read(); next != '\r'; next = input.read()) {
      if (next < 0) {
        throw new EOFException();
      }
      line.append((char) next);
    }
    input.read();
    return line.toString();
  }
}
