# SPDX-License-Identifier: Apache-2.0
"""Actors of the scenes: one process each, of any language, that has a guard and does what it is told."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

BUILT = pathlib.Path(os.environ.get("GUARD_BUILT") or tempfile.mkdtemp(prefix="guard-built"))

IS_LEFT_OUT = bool(os.environ.get("GUARD_LONG_ONLY")) and not os.environ.get("BLOOMERY_LONG")

CPP = os.environ.get("GUARD_CPP_DRIVER", "/nowhere")

# How a language's driver is started; a name after a dash is another client of it.
DRIVERS = {
    "python": [sys.executable, "-B", str(HERE / "drivers/driver.py")],
    "python-asyncio": [sys.executable, "-B", str(HERE / "drivers/driver.py"), "tasks"],
    "php": ["php", str(HERE / "drivers/driver.php"), "phpredis"],
    "php-predis": ["php", str(HERE / "drivers/driver.php"), "predis"],
    "javascript": ["node", str(HERE / "drivers/driver.mjs"), "redis"],
    "javascript-redis4": ["node", str(HERE / "drivers/driver.mjs"), "redis4"],
    "javascript-ioredis": ["node", str(HERE / "drivers/driver.mjs"), "ioredis"],
    "java": ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", f"{BUILT}/java/bloomery-guard.jar:{BUILT}/java", "Driver"],
    "go": [f"{BUILT}/go/driver"],
    "cpp": [CPP],
}


NODE = os.environ.get("BLOOMERY_NODE_FOLDER", "/nowhere")

# What else a language needs: a program, or a file.
NEEDS = {
    "php": ["php", "/usr/share/php/Psr/SimpleCache"],
    "php-predis": ["php", "/usr/share/php/Predis/Autoloader.php"],
    "javascript": ["node", f"{NODE}/node_modules/redis"],
    "javascript-redis4": ["node", f"{NODE}/node_modules/redis4"],
    "javascript-ioredis": ["node", f"{NODE}/node_modules/ioredis"],
    "java": ["java"],
    "cpp": [CPP],
    "go": ["go", "/usr/share/gocode/src/github.com/gomodule/redigo"],
}


def missing(language):
    """What is not here of what the language needs."""
    return [each for each in NEEDS.get(language, []) if not (os.path.exists(each) if "/" in each else shutil.which(each))]


def go(*words, **environment):
    """The go command over drivers/go, with the guard and Debian's redigo, which has no modules' sums, by paths."""
    path = BUILT / "go"
    (path / "src/bloomery.dev").mkdir(parents=True, exist_ok=True)
    link = path / "src/bloomery.dev/guard"
    if not link.is_symlink():
        link.symlink_to(HERE.parents[1] / "bindings/go")
    settings = {"GO111MODULE": "off", "GOPATH": f"{path}:/usr/share/gocode", "GOFLAGS": "", **environment}
    return subprocess.run(["go", *words], cwd=HERE / "drivers/go", check=True, env={**os.environ, **settings})


def is_newer(made, used):
    return made.exists() and made.stat().st_mtime > max(each.stat().st_mtime for each in used)


def build(language):
    """Compiles what the language needs compiled."""
    if language == "go":
        go("build", "-o", str(BUILT / "go/driver"), ".")
    if language == "java":
        bindings = HERE.parents[1] / "bindings/java"
        used = [*bindings.rglob("*"), *(HERE / "drivers/java").iterdir()]
        if is_newer(BUILT / "java/Driver.class", used):
            return
        subprocess.run([str(bindings / "make_jar"), str(BUILT / "java")], check=True)
        sources = sorted((HERE / "drivers/java").glob("*.java"))
        subprocess.run(["java", "-m", "jdk.compiler/com.sun.tools.javac.Main", "-Xlint:all,-try", "-Werror", "-cp", str(BUILT / "java/bloomery-guard.jar"),
                        "-d", str(BUILT / "java"), *map(str, sources)], check=True)


class Actor:
    def __init__(self, language):
        self.language, self.process, self.pending = language, None, False

    def begin(self, **words):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(DRIVERS[self.language], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdin.write(json.dumps(words).encode() + b"\n")
        self.process.stdin.flush()
        self.pending = True

    def hear(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the driver of {self.language} died")
        said = json.loads(line)
        self.pending = "load" in said
        return said

    def do(self, **words):
        self.begin(**words)
        return self.hear()

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
        self.process, self.pending = None, False
