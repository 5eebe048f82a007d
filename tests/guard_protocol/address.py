# SPDX-License-Identifier: Apache-2.0
"""An address that leads to whichever server is the primary, as a proxy or a name that moves does."""
import socket
import threading


class Address:
    """Connections to `port` go on to the server that `lead_to` named last. It cuts those to the server before."""

    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port, self.target = self.listener.getsockname()[1], port
        self.lock, self.open = threading.Lock(), set()
        threading.Thread(target=self._accept, daemon=True).start()

    def lead_to(self, port):
        with self.lock:
            self.target, cut = port, self.open
            self.open = set()
        for each in cut:
            self._end(each)

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                with self.lock:
                    server = socket.create_connection(("127.0.0.1", self.target))
                    self.open.update((client, server))
                for each in (client, server):  # before a thread may close them
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:
                client.close()
                continue
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        self._end(one)
        self._end(other)

    @staticmethod
    def _end(connection):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()

    def close(self):
        self.listener.close()
        self.lead_to(0)
