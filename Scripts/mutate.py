#!/usr/bin/env python3
"""Plants faults in the sources, one at a time, and lists those that the unit tests of their target do not find.

  make mutate TARGET=ANCS                a sample, for at most 110 minutes
  make mutate TARGET=BluetoothLE/SMP     of one folder of a target
  Scripts/mutate.py --help               the options, for a closer look

Everything happens in a copy of the sources, in `.build-mutate`, at the lowest priority. A fault that does not compile
is not counted; tests that run out of time count as failed. `Scripts/survivors.txt` says of faults that cannot matter
why; they are not planted. Documentation/Development/Simulation.md has the results.
"""

import argparse
import fnmatch
import glob
import os
import random
import re
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import time

from mutants import mutants

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REASONS = os.path.join(ROOT, "Scripts", "survivors.txt")
# What Package.swift needs to build the tests of one target.
COPIED = ["Package.swift", "Sources", "Tests", "Benchmarks/CHeap", "Fuzz", "Scenarios", "Documentation"]
# What a fault that allocates without end may take of this machine.
MEMORY = 8 << 30
# A build that takes longer has lost its way: the type checker of Swift may need hours for one line.
BUILD_SECONDS = 1200


class Stop(Exception):
    """The run cannot go on; the message says why."""


class Reasons:
    """The faults that cannot matter, and why.

    Paragraphs of `file: `, `line: ` (without its indentation), `change: ` and `why: `; lines that begin with '#' are
    comments. Each must name a fault that can be planted still.
    """

    def __init__(self, path, root=ROOT):
        self.why = {}
        with open(path, encoding="utf-8") as file:
            text = file.read()
        known = {}
        for paragraph in re.split(r"\n\s*\n", text):
            lines = [line for line in paragraph.split("\n") if line.strip() and not line.startswith("#")]
            if not lines:
                continue
            entry = dict(line.split(": ", 1) for line in lines if ": " in line)
            if list(entry) != ["file", "line", "change", "why"] or len(lines) != 4:
                raise Stop(f"{path}: a reason has the lines file, line, change and why, not\n{paragraph}")
            name = entry["file"]
            if name not in known:
                try:
                    with open(os.path.join(root, name), encoding="utf-8") as file:
                        known[name] = {(m.old.strip(), m.change) for m in mutants(name, file.read())}
                except OSError as error:
                    raise Stop(f"{path}: {name} cannot be read ({error.strerror}); remove its reasons") from error
            key = (entry["line"].strip(), entry["change"].strip())
            if key not in known[name]:
                raise Stop(
                    f"{path}: {name} has no such fault any more; write a test or another reason:\n"
                    f"    {key[0]}\n    {key[1]}"
                )
            self.why[(name, *key)] = entry["why"]

    def of(self, mutant):
        return self.why.get((mutant.path, mutant.old.strip(), mutant.change))


def synchronize(source, copy):
    """Makes a copy the same as the source. What is the same already keeps its time, so that it is not built again."""
    wanted = set()
    for part in COPIED:
        top = os.path.join(source, part)
        files = [top] if os.path.isfile(top) else [os.path.join(d, f) for d, _, fs in os.walk(top) for f in fs]
        for file in files:
            target = os.path.join(copy, os.path.relpath(file, source))
            wanted.add(target)
            with open(file, "rb") as original:
                octets = original.read()
            if part == "Package.swift":
                # A fault may leave a value unused, which is no reason not to build it.
                text = octets.decode().replace(".treatAllWarnings(as: .error)", ".treatAllWarnings(as: .warning)")
                octets = text.encode()
            if os.path.exists(target):
                with open(target, "rb") as old:
                    if old.read() == octets:
                        continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as new:
                new.write(octets)
            shutil.copymode(file, target)
    for part in COPIED:
        for directory, _, files in os.walk(os.path.join(copy, part)):
            for file in files:
                if os.path.join(directory, file) not in wanted:
                    os.remove(os.path.join(directory, file))


# Modules whose tests stand with those of another.
TESTED_WITH = {
    "ANCSProvider": "ANCS",
    "BluetoothTypes": "BluetoothLE",
    "HCITransports": "LinuxIO",
}


class Bench:
    """A copy of the sources in which faults are planted, and the tests of one target."""

    def __init__(self, target, place, jobs, tests=None):
        self.module = target.split("/")[0]
        self.tests = TESTED_WITH.get(self.module, self.module) + "Tests"
        self.copy = os.path.join(place, "tree")
        self.scratch = os.path.join(place, "build-" + self.module)
        self.jobs = jobs
        self.chosen = ["--filter", tests] if tests else []
        self.child = None
        self.limit = None
        self.environment = os.environ | {
            "ANCS_ONLY": self.tests,
            "SWIFT_BACKTRACE": "enable=no",
            "NO_COLOR": "1",
        }
        os.makedirs(self.copy, exist_ok=True)
        synchronize(ROOT, self.copy)

    def begin(self, command):
        self.child = subprocess.Popen(
            command,
            cwd=self.copy,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        )
        return self.child

    def end(self):
        """Ends what still runs, with everything that it started."""
        if self.child is None:
            return
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.child.wait()
        self.child.stdout.close()
        self.child = None

    def lines(self, command, seconds):
        """The lines that a command writes, then how it ended: its status, or None when it ran out of time."""
        child = self.begin(command)
        deadline = time.monotonic() + seconds
        rest = b""
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(child.stdout, selectors.EVENT_READ)
                while True:
                    if not selector.select(max(0, deadline - time.monotonic())):
                        yield None
                        return
                    octets = os.read(child.stdout.fileno(), 65536)
                    if not octets:
                        break
                    *whole, rest = (rest + octets).split(b"\n")
                    yield from (line.decode(errors="replace") for line in whole)
            yield child.wait()
        finally:
            self.end()

    def build(self):
        """Whether the tests could be built, and what the compiler wrote."""
        command = ["swift", "build", "--build-tests", "--scratch-path", self.scratch, "-j", str(self.jobs)]
        said = list(self.lines(command, BUILD_SECONDS))
        return said[-1] == 0, [line for line in said[:-1] if "error:" in line] or said[-20:-1]

    def test(self, seconds):
        """Runs the tests until the first that fails: what failed, or None; and how many passed."""
        program = os.path.join(self.scratch, "debug", "swift-ancsPackageTests.xctest")
        command = ["prlimit", f"--as={MEMORY}", program, "--testing-library", "swift-testing", "--no-parallel"] + self.chosen
        passed = 0
        for line in self.lines(command, seconds):
            if line is None:
                return "the tests ran out of time", passed
            if isinstance(line, int):
                return (f"the tests ended with status {line}" if line != 0 else None), passed
            if line.startswith("✘"):
                return line, passed
            passed += line.startswith("✔ Test ") and " passed after " in line
        return "the tests ended", passed

    def prepare(self):
        """Builds and tests the sources as they are."""
        began = time.monotonic()
        built, said = self.build()
        if not built:
            raise Stop("the sources do not build:\n" + "\n".join(said))
        building = time.monotonic() - began
        began = time.monotonic()
        failure, passed = self.test(3600)
        if failure:
            raise Stop(f"the tests fail without any fault: {failure}")
        if passed == 0:
            raise Stop(f"{self.tests} has no tests")
        testing = time.monotonic() - began
        self.limit = max(60, 10 * testing)
        print(f"{passed} tests pass in {testing:.0f} s, built in {building:.0f} s", flush=True)

    def plant(self, mutant):
        """What becomes of a fault: 'killed', 'late', 'survived' or 'invalid', and by what."""
        path = os.path.join(self.copy, mutant.path)
        with open(path, encoding="utf-8") as file:
            original = file.read()
        lines = original.split("\n")
        assert lines[mutant.line - 1] == mutant.old
        lines[mutant.line - 1] = mutant.new
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            built, said = self.build()
            if not built:
                return "invalid", said[0] if said else ""
            failure, _ = self.test(self.limit)
            if failure is None:
                return "survived", ""
            return ("late" if failure == "the tests ran out of time" else "killed"), failure
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(original)


def candidates(target, patterns):
    """The faults of a target, of the files that match, or of the lines, as in `ProviderSession.swift:120`."""
    top = next(iter(glob.glob(os.path.join(ROOT, "Sources", "*", target))), None)
    if top is None:
        raise Stop(f"there is no folder Sources/{target}; TARGET is such as ANCS or BluetoothLE/SMP")
    found = []
    for directory, _, files in sorted(os.walk(top)):
        for name in sorted(files):
            if not name.endswith(".swift"):
                continue
            path = os.path.relpath(os.path.join(directory, name), ROOT)
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                found += mutants(path, file.read())
    if patterns:
        found = [
            mutant
            for mutant in found
            if any(fnmatch.fnmatch(text, "*" + p) for p in patterns for text in (mutant.path, mutant.place))
        ]
        if not found:
            raise Stop(f"no fault can be planted in {' '.join(patterns)} of Sources/{target}")
    return found


def run(options):
    reasons = Reasons(REASONS)
    if options.check:
        print(f"{len(reasons.why)} reasons, each of a fault that can be planted")
        return 0
    if not options.target:
        raise Stop("say which target: make mutate TARGET=ANCS")
    chosen = candidates(options.target, options.files)
    explained = [mutant for mutant in chosen if reasons.of(mutant)]
    rest = [mutant for mutant in chosen if not reasons.of(mutant)]
    print(f"{len(chosen)} faults can be planted in {options.target}; {len(explained)} cannot matter, as survivors.txt says")
    if options.list:
        for mutant in chosen:
            print(mutant)
        return 0
    random.Random(options.seed).shuffle(rest)
    rest = rest[: options.limit]
    os.nice(19)
    bench = Bench(options.target, options.place, options.jobs, options.tests)
    counts = {"killed": 0, "late": 0, "survived": 0, "invalid": 0}
    survivors = []
    end = time.monotonic() + options.minutes * 60
    tried = 0
    try:
        bench.prepare()
        for mutant in rest:
            if time.monotonic() >= end:
                print("the time is over")
                break
            outcome, by = bench.plant(mutant)
            tried += 1
            counts[outcome] += 1
            if outcome == "survived":
                survivors.append(mutant)
            if outcome == "survived" or options.verbose:
                print(f"{tried}. {outcome} {mutant}" + (f"\n    {by}" if by else ""), flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        bench.end()
    valid = tried - counts["invalid"]
    print(
        f"{options.target}: {valid} faults, {valid - counts['survived']} killed ({counts['late']} by the time limit), "
        f"{counts['survived']} survived; {counts['invalid']} more did not compile"
    )
    return 1 if survivors else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="?", metavar="TARGET", help="a folder of Sources, such as ANCS or BluetoothLE/SMP")
    parser.add_argument("--files", nargs="+", metavar="PATTERN", help="only files, or lines, that end like this: 'Watch.swift:81'")
    parser.add_argument("--tests", metavar="REGEX", help="run only tests that match; others may find what survives them")
    parser.add_argument("--limit", type=int, metavar="N", help="plant at most N faults")
    parser.add_argument("--minutes", type=float, default=110, help="begin no fault after this time (default: 110)")
    parser.add_argument("--seed", type=int, default=1, help="which sample is drawn (default: 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="compile with N processes at once")
    parser.add_argument("--place", default=os.path.join(ROOT, ".build-mutate"), metavar="DIR", help="where the copy of the sources is")
    parser.add_argument("--list", action="store_true", help="print the faults without planting them")
    parser.add_argument("--check", action="store_true", help="only check survivors.txt against the sources")
    parser.add_argument("--verbose", action="store_true", help="print what becomes of every fault")
    options = parser.parse_args()
    # `make` and terminals end a run with these; the child runs in a group of its own, and must end too.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    try:
        return run(options)
    except Stop as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
