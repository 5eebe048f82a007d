# SPDX-License-Identifier: Apache-2.0
"""pulled_workers.py FILE FENCE [PORT]: a server that forks its workers, which all map one file that `bloomery pull --every` keeps in
step; none of them talks to Redis. It answers GET with the header X-Key, a key as a URL has it: 403 if there is no row with that key,
else 204, as nginx's auth_request wants it (examples/pulled_nginx.conf). FENCE is the follower's: http://127.0.0.1:9090/fence.

A worker goes on with the next version of the file by itself, when a question behind a fence needs it.
"""
import http.server
import os
import signal
import socket
import sys
import urllib.parse
import urllib.request

import pybloomery

WORKERS = 4


def may_exist(users, fence, key):
    """False only if no row had this key when the question came: the file has come as far as the database was after that."""
    if key in users:
        return True
    try:
        with urllib.request.urlopen(fence, timeout=0.2) as answer:
            source, position = answer.read().decode().split()
        return users.contains(key, behind=(source, int(position)))
    except (OSError, ValueError, pybloomery.StoreError):
        return True  # nobody knows: the request goes on to the database


def keys_of(sent):
    """The bytes that the backend may take this for: to some a plus sign is a blank."""
    raw = sent.encode("latin-1")  # as the header came
    return {urllib.parse.unquote_to_bytes(raw), urllib.parse.unquote_to_bytes(raw.replace(b"+", b" "))}


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        sent = self.headers.get("X-Key")
        known = sent is None or any(may_exist(self.server.users, self.server.fence, key) for key in keys_of(sent))
        self.send_response(204 if known else 403)
        self.end_headers()

    def log_message(self, *_):
        pass


def work(listener, path, fence):
    server = http.server.HTTPServer(listener.getsockname(), Answer, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.users, server.fence = pybloomery.open(path), fence  # mapped: the memory is the system's, one for all
    server.serve_forever()


def main():
    path, fence, port = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    listener.setblocking(False)  # whom another worker took is not waited for
    workers = []
    for _ in range(WORKERS):
        child = os.fork()
        if child == 0:
            work(listener, path, fence)
        workers.append(child)
    print(f"{WORKERS} workers at 127.0.0.1:{listener.getsockname()[1]}", flush=True)

    def end(*_):
        for worker in workers:
            os.kill(worker, signal.SIGKILL)  # which harms no file
        sys.exit(0)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    for worker in workers:
        os.waitpid(worker, 0)


if __name__ == "__main__":
    main()
