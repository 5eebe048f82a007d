# SPDX-License-Identifier: Apache-2.0
"""What the guard's script and the module's commands cost the server, what happens when 320 callers in 10 processes miss one key, and
when connections that wait in the server have the row, beside as many that ask for a missing key:
REDIS_SERVER=... BLOOMERY_MODULE=... python3 benchmarks/guard_protocol.py. Needs python3-redis."""
import multiprocessing
import os
import pathlib
import select
import statistics
import sys
import threading
import time

import redis

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/guard_protocol"), str(ROOT / "bindings/python/pybloomery")]
import guard  # noqa: E402
from server import Server, wait_until  # noqa: E402

ROUNDS, CALLS = 15, 2000
PROCESSES, CALLERS = 10, 32
LOAD_SECONDS = 1.0


def processor_seconds(client):
    cpu = client.info("cpu")
    return cpu["used_cpu_user_main_thread"] + cpu["used_cpu_sys_main_thread"]


def never(_):
    raise AssertionError("it is loaded")


def costs(server):
    client = server.redis
    plain = guard.Guard(client, "plain", negative_life=36000, value_life=36000)
    plain.get("hit", lambda _: "x" * 100)
    plain.get("none", lambda _: None)
    ways = {"GET of a missing key": lambda: client.get("missing"), "hit, no filter": lambda: plain.get("hit", never),
            "no such row, no filter": lambda: plain.get("none", never)}
    if server.has_module():
        for family in ("BLOOM", "BF"):
            filter = "f" + family
            client.execute_command(f"{family}.RESERVE", filter, 0.0001, 100000)
            client.set("{" + filter + "}:markers", "m")
            client.execute_command(f"{family}.MADD", filter, "hit", *(f"bloomery-marker:m:{i}" for i in range(8)))
            one = guard.Guard(client, family, filter=filter, family=family, value_life=36000)
            one.get("hit", lambda _: "x" * 100)
            module = guard.Guard(client, family, filter=filter, family=family, commands="GUARD")
            for name, each in ((family, one), (family + " by the module", module)):
                ways[f"absent, {name}"] = lambda each=each: each.get("absent", never)
                ways[f"hit, {name}"] = lambda each=each: each.get("hit", never)
    spent = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, call in ways.items():
            before = processor_seconds(client)
            for _ in range(CALLS):
                call()
            spent[name].append((processor_seconds(client) - before) / CALLS * 1e6)
    base = spent["GET of a missing key"]
    for name, each in spent.items():
        ratio = statistics.median(one / other for one, other in zip(each, base))
        print(f"{name}: {statistics.median(each):.1f} us of the server, {ratio:.2f} x GET")


def call_all(port, options, begin, loads, ends, lates):
    client = redis.Redis(port=port, max_connections=CALLERS, socket_timeout=10)
    one = guard.Guard(client, "crowd", lease_life=30, **options)
    answered = []

    def load(_):
        with loads.get_lock():
            loads.value += 1
        time.sleep(LOAD_SECONDS)
        ends.value = time.monotonic()
        return "row"

    def call():
        begin.wait()
        assert one.get("key", load) == "row"
        answered.append(time.monotonic())
    threads = [threading.Thread(target=call) for _ in range(CALLERS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for at in answered:
        lates.put(at)


def crowd(server, way, options):
    server.redis.flushall()
    context = multiprocessing.get_context("fork")
    begin, loads, ends, lates = context.Barrier(PROCESSES * CALLERS), context.Value("i", 0), context.Value("d", 0.0), context.Queue()
    processes = [context.Process(target=call_all, args=(server.port, options, begin, loads, ends, lates)) for _ in range(PROCESSES)]
    before = processor_seconds(server.redis)
    for each in processes:
        each.start()
    late = sorted(lates.get(timeout=120) - ends.value for _ in range(PROCESSES * CALLERS))
    for each in processes:
        each.join()
    print(f"{way}: {PROCESSES * CALLERS} callers in {PROCESSES} processes: {loads.value} query; answered after its end: median "
          f"{late[len(late) // 2] * 1e3:.1f} ms, last {late[-1] * 1e3:.1f} ms, {(processor_seconds(server.redis) - before) * 1e3:.0f} ms of the server (load of the machine {os.getloadavg()[0]:.1f})")
    return loads.value == 1


def waiters(server, count):
    """Milliseconds from the holder's PUT until all that wait for it have the row, and until as many GETs are answered."""
    links = [redis.Connection(port=server.port) for _ in range(count + 1)]
    for link in links:
        link.connect()
    holder, *links = links
    missing, rows = [], []
    for turn in range(ROUNDS):
        missing.append(milliseconds_of(links, lambda: [link.send_command("GET", "missing") for link in links]))
        entry = f"waiters{count}:{{={turn}}}"
        get = ["GUARD.GET", 2, entry, entry + ":lease", "", "", "", ""]  # without a filter
        holder.send_command(*get, os.urandom(16).hex(), 30000, str(turn))
        (_, _, lease), = holder.read_response()
        for link in links:
            link.send_command(*get, os.urandom(16).hex(), 30000, str(turn), "BLOCK", 10000)
        wait_until(lambda: server.redis.info("clients")["blocked_clients"] == count)
        rows.append(milliseconds_of(links, lambda: holder.send_command("GUARD.PUT", 2, entry, entry + ":lease", lease, "V", 60000, 0, "row")))
        assert holder.read_response() == [1]
    print(f"BLOCK: {count} connections have the row {statistics.median(rows):.2f} ms after it is sent; as many GETs of a missing key "
          f"take {statistics.median(missing):.2f} ms (medians of {ROUNDS}; load of the machine {os.getloadavg()[0]:.1f})")


def milliseconds_of(links, send):
    """From the sending until each of the links has an answer to read; then reads them."""
    waiting = select.epoll()
    for link in links:
        waiting.register(link._sock.fileno(), select.EPOLLIN | select.EPOLLONESHOT)
    begin, left = time.monotonic(), len(links)
    send()
    while left:
        left -= len(waiting.poll())
    took = (time.monotonic() - begin) * 1e3
    waiting.close()
    for link in links:
        assert link.read_response() in (None, [[b"value", b"none", b"row"]])
    return took


if __name__ == "__main__":
    with Server() as server:
        costs(server)
        kinds = {"script": {}}
        if server.has_module():
            kinds.update({"commands": {"commands": "GUARD"}, "BLOCK": {"commands": "GUARD", "block": 5}})
            for count in (PROCESSES, PROCESSES * CALLERS):
                waiters(server, count)
        sys.exit(0 if all([crowd(server, *kind) for kind in kinds.items() for _ in range(5)]) else 1)
