# SPDX-License-Identifier: Apache-2.0
"""redis-py's own methods for filters, against the server at the port that is given. Exit status 77: no redis-py."""
import sys

try:
    import redis
except ImportError as error:
    print(error)
    sys.exit(77)

server = redis.Redis(port=int(sys.argv[1]))
bf = server.bf()

assert bf.create("bf", 0.001, 1000, expansion=4)
assert bf.create("still", 0.01, 3, noScale=True)
assert bf.add("bf", "alice") == 1
assert bf.add("bf", "alice") == 0
assert bf.madd("bf", "alice", "bob", b"\x00\xff") == [0, 1, 1]
assert bf.insert("new", ["a", "b"], capacity=50, error=0.001, expansion=3) == [1, 1]
assert bf.exists("bf", "alice") == 1
assert bf.mexists("bf", "bob", "carol", b"\x00\xff") == [1, 0, 1]

info = bf.info("bf")
assert (info.capacity, info.filterNum, info.insertedNum, info.expansionRate) == (1000, 1, 3, 4), vars(info)
assert info.size > 0

bf.madd("still", "a", "b", "c")
try:
    bf.add("still", "d")
    raise AssertionError("a full filter took an item")
except redis.ResponseError as error:
    assert "full" in str(error), error
try:
    bf.create("bf", 0.01, 10)
    raise AssertionError("a filter was made twice")
except redis.ResponseError as error:
    assert "exists" in str(error), error

iterator, chunks = 0, []
while True:
    iterator, data = bf.scandump("bf", iterator)
    if iterator == 0:
        break
    chunks.append((iterator, data))
for iterator, data in chunks:
    assert bf.loadchunk("copy", iterator, data)
assert bf.mexists("copy", "alice", "bob", "carol") == [1, 1, 0]

with server.pipeline(transaction=True) as pipe:
    pipe.execute_command("BF.ADD", "bf", "in a transaction")
    pipe.execute_command("BF.EXISTS", "bf", "in a transaction")
    assert pipe.execute() == [1, 1]

if server.execute_command("COMMAND LIST", "FILTERBY", "PATTERN", "cf.add"):
    cf = server.cf()
    assert cf.create("cf", 1000, bucket_size=4, expansion=2, max_iterations=50)
    assert cf.add("cf", "alice") == 1
    assert cf.addnx("cf", "alice") == 0
    assert cf.add("cf", "alice") == 1
    assert cf.insert("cf", ["bob", "carol"]) == [1, 1]
    assert cf.insertnx("cf", ["bob", "dave"]) == [0, 1]
    assert cf.exists("cf", "dave") == 1
    assert cf.count("cf", "alice") == 2
    assert cf.delete("cf", "alice") == 1
    assert cf.count("cf", "alice") == 1
    info = cf.info("cf")
    assert (info.insertedNum, info.deletedNum, info.bucketSize, info.expansionRate) == (4, 1, 4, 2), vars(info)
print("redis-py", redis.__version__)
